//! References to characters, where a document is read that is not yet ready for a parser.

/// The character of the reference that a text begins with (as in `&#60;` or `&#x3c;`), and what is behind it.
///
/// Only digits are looked at, and no other reference begins among them: to look at all references of a text takes no longer
/// than to read it once.
pub(super) fn leading_character(text: &str) -> Option<(char, &str)> {
    let number = text.strip_prefix("&#")?;
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let code = u32::from_str_radix(&digits[..end], radix).ok()?;
    let character = char::from_u32(code).filter(|character| *character != '\0')?;
    Some((character, digits[end..].strip_prefix(';')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_characters_in_every_spelling() {
        for text in ["&#60;x", "&#x3c;x", "&#x3C;x", "&#0000000000000000000000060;x"] {
            assert_eq!(leading_character(text), Some(('<', "x")), "{text}");
        }
        for text in
            ["", "&lt;", "&#;", "&#x;", "&#+60;", "&#60", "&#60 ;", "&#6a;", "&#0;", "&#xd800;", "&#99999999999;"]
        {
            assert_eq!(leading_character(text), None, "{text}");
        }
    }
}
