//! The one spelling of a number: exact, without limits of size or precision, so that only equal numbers look equal.
//!
//! A number is its significant digits and a power of ten: `1.50e3` and `1500` are both `15e2`. Nothing is rounded, so two long
//! numbers that a reader with 64-bit floats would confuse stay different.

/// The last digits of a power, which are all that the places of a mantissa can move but for a carry.
const LAST_DIGITS: usize = 36;
/// One more than they can be.
const LAST_END: i128 = 10_i128.pow(LAST_DIGITS as u32);

/// Writes the one spelling of a valid JSON number.
pub(crate) fn write(number: &str, out: &mut String) {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let begin = out.len();
    out.push_str(sign);
    let digits = out.len();
    out.push_str(if whole == "0" { "" } else { whole });
    let leading = if out.len() == digits { fraction.len() - fraction.trim_start_matches('0').len() } else { 0 };
    out.push_str(&fraction[leading..]);
    let length = out.len();
    out.truncate(digits + out[digits..].trim_end_matches('0').len());
    if out.len() == digits {
        out.truncate(begin);
        out.push('0');
        return;
    }
    let power = power(exponent, (length - out.len()) as i128 - fraction.len() as i128);
    if power != "0" {
        out.extend(["e", &power]);
    }
}

/// The sum of an exponent of any length and a number of places.
fn power(exponent: &str, places: i128) -> String {
    let (sign, digits) = exponent.strip_prefix('-').map_or(("", exponent), |digits| ("-", digits));
    let digits = digits.trim_start_matches(['+', '0']);
    let (first, last) = digits.split_at(digits.len().saturating_sub(LAST_DIGITS));
    let is_negative = !sign.is_empty();
    let last = last.parse::<i128>().unwrap_or_default() + if is_negative { -places } else { places };
    let (first, last) = match last {
        _ if first.is_empty() => return if is_negative { -last } else { last }.to_string(),
        ..0 => (neighbour(first, -1), last + LAST_END),
        LAST_END.. => (neighbour(first, 1), last - LAST_END),
        _ => (first.to_owned(), last),
    };
    let digits = format!("{first}{last:0LAST_DIGITS$}");
    format!("{sign}{}", digits.trim_start_matches('0'))
}

/// The number one before or behind a positive one.
fn neighbour(digits: &str, step: i8) -> String {
    let (carries, becomes) = if step < 0 { ('0', "9") } else { ('9', "0") };
    let kept = digits.trim_end_matches(carries);
    let (before, digit) = kept.split_at(kept.len().saturating_sub(1));
    let digit = digit.parse::<i8>().unwrap_or_default() + step;
    format!("{before}{digit}{}", becomes.repeat(digits.len() - kept.len()))
}

/// The one spelling as people write numbers, if that is not long.
pub(crate) fn shown(number: &str) -> String {
    let Some((digits, power)) = number.split_once('e') else { return number.to_owned() };
    match power.parse::<i32>() {
        Ok(power @ 1..=15) => format!("{digits}{}", "0".repeat(power as usize)),
        Ok(power @ -15..=-1) => {
            let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
            let places = power.unsigned_abs() as usize;
            let padded = format!("{}{digits}", "0".repeat((places + 1).saturating_sub(digits.len())));
            let (whole, fraction) = padded.split_at(padded.len() - places);
            format!("{sign}{whole}.{fraction}")
        }
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spelled(number: &str) -> String {
        let mut out = String::from("before");
        write(number, &mut out);
        out.strip_prefix("before").unwrap().to_owned()
    }

    #[test]
    fn equal_numbers_have_one_spelling() {
        for (numbers, spelling, people) in [
            (&["0", "-0", "0.0", "0e7", "-0.00E-3"][..], "0", "0"),
            (&["1", "1.0", "1e0", "10e-1", "0.1e1", "1.000E+00"], "1", "1"),
            (&["100", "1e2", "1.0E+2", "1000e-1"], "1e2", "100"),
            (&["-0.00150", "-15e-4", "-1.5e-3"], "-15e-4", "-0.0015"),
            (&["1.25", "125e-2"], "125e-2", "1.25"),
            (&["1e400", "10e399"], "1e400", "1e400"),
        ] {
            assert!(numbers.iter().all(|number| spelled(number) == spelling), "{numbers:?}");
            assert_eq!(shown(spelling), people);
        }
        assert_ne!(spelled("0.1"), spelled("0.1000000000000000055511151231257827"));
    }

    #[test]
    fn powers_have_no_limit_either() {
        let (nines, one) = ("9".repeat(60), format!("1{}", "0".repeat(60)));
        for (numbers, spelling) in [
            (vec!["0e99999999999999999999".into(), format!("-0.0E-{nines}")], "0".to_owned()),
            (vec!["1e99999999999999999999".into(), "10E+99999999999999999998".into()], "1e99999999999999999999".into()),
            (vec!["1e9223372036854775808".into(), "0.1e9223372036854775809".into()], "1e9223372036854775808".into()),
            (
                vec!["-1.50e-99999999999999999999".into(), "-15e-0100000000000000000000".into()],
                "-15e-100000000000000000000".into(),
            ),
            (vec![format!("10e{nines}"), format!("1.0e+00{one}"), format!("100e{}8", &nines[1..])], format!("1e{one}")),
            (vec![format!("0.1e{one}"), format!("1E{nines}")], format!("1e{nines}")),
            (vec![format!("10e-{one}"), format!("1e-{nines}")], format!("1e-{nines}")),
            (vec![format!("0.1e-{nines}"), format!("1e-{one}")], format!("1e-{one}")),
        ] {
            numbers.iter().for_each(|number| assert_eq!(spelled(number), spelling, "{number}"));
        }
        assert_ne!(spelled(&format!("1e{one}")), spelled(&format!("1e{nines}")));
        assert_eq!(shown("1e99999999999999999999"), "1e99999999999999999999");
    }

    proptest! {
        #[test]
        fn numbers_are_equal_if_their_spellings_are(digits in 1..1_000_000u64, places in 0..9usize, zeros in 0..9usize) {
            let plain = format!("{digits}e{places}");
            let other = format!("{digits}{}e-{zeros}", "0".repeat(places + zeros));
            prop_assert_eq!(spelled(&plain), spelled(&other));
            prop_assert_ne!(spelled(&plain), spelled(&format!("{}e{places}", digits + 1)));
            let value = |text: &str| text.parse::<f64>().unwrap();
            prop_assert_eq!(value(&shown(&spelled(&plain))), value(&plain));
        }
    }
}
