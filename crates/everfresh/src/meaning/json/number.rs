//! The one spelling of a number: exact, without limits of size or precision, so that only equal numbers look equal.
//!
//! A number is its significant digits and a power of ten: `1.50e3` and `1500` are both `15e2`. Nothing is rounded, so two long
//! numbers that a reader with 64-bit floats would confuse stay different.

/// Writes the one spelling of a valid JSON number.
pub(crate) fn write(number: &str, out: &mut String) {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let Ok(exponent) = exponent.parse::<i64>() else {
        // A power that does not fit 64 bits: no two spellings of it are taken for equal.
        out.extend([sign, number]);
        return;
    };
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
    let power = i128::from(exponent) - fraction.len() as i128 + (length - out.len()) as i128;
    if power != 0 {
        out.push('e');
        out.push_str(&power.to_string());
    }
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
        assert_eq!(spelled("1e99999999999999999999"), "1e99999999999999999999");
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
