//! What the words of a page's address say of its rate: `news` and `archive`, a year, a topic, the name of the site.
//!
//! Every word has a weight, the logarithm of how much more often pages with it change, learned from all pages as the weights
//! of [`looks`](super::looks) are. There are too many words for one system of equations, so each takes a step of its own,
//! short enough that all of a page's words may take theirs at once. Words are kept as hashes: 32 KB however many there
//! are, and two that share a place share a weight. Eight bytes a page: its host and the last words of its path.

use super::looks::Seen;

/// Words kept of an address: the host and four more.
const WORDS: usize = 5;
/// Bits of a word's place, and of a host's: all of an address fits into 64.
const BITS: u32 = 13;
const OF_HOST: u32 = 12;
/// Places for words; the first is for none.
const PLACES: usize = 1 << BITS;
/// How strongly weights are held to zero, as in pages.
const RIDGE: f32 = 20.0;
/// How much pages of the same words differ: the shape of a gamma distribution.
const SHAPE: f32 = 1.0;
/// Steps at each refit.
const STEPS: usize = 12;
/// Weights stop here: nine times as often, or as rarely.
const LARGEST: f32 = 2.2;

/// The words of one address, as places; 0 for none. The host's is in the lowest bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(super) struct Words([u8; 8]);

impl Words {
    /// No address.
    pub(super) const NONE: Words = Words([0; 8]);

    /// The words of an address. Anything will do: what is no letter and no digit parts words.
    pub(super) fn of(url: &str) -> Words {
        let address = url.split_once("://").map_or(url, |(_, address)| address);
        let (host, path) = address.split_at(address.find('/').unwrap_or(address.len()));
        let parts = path.split(|part: char| part.is_ascii() && !part.is_ascii_alphanumeric() && part != '%');
        let (mut places, mut known) = ([0; WORDS - 1], 0);
        for place in parts.rev().filter(|word| !word.is_empty()).map(place_of_word) {
            if known == places.len() {
                break;
            }
            if !places[..known].contains(&place) {
                places[known] = place;
                known += 1;
            }
        }
        let bits = places.iter().rev().fold(0, |bits, place| bits << BITS | u64::from(*place));
        Words((bits << OF_HOST | u64::from(place(host.bytes(), OF_HOST))).to_le_bytes())
    }

    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let bits = u64::from_le_bytes(self.0);
        let of_path = (0..WORDS as u32 - 1).map(move |word| bits >> (OF_HOST + BITS * word) & ((1 << BITS) - 1));
        let all = std::iter::once(bits & ((1 << OF_HOST) - 1)).chain(of_path);
        all.filter(|place| *place != 0).map(|place| place as usize)
    }
}

/// The bytes of a word without its escapes; what is no escape stays.
fn decoded(word: &str) -> impl Iterator<Item = u8> + '_ {
    let digit = |byte: u8| (byte as char).to_digit(16);
    let mut bytes = word.bytes();
    std::iter::from_fn(move || {
        let byte = bytes.next()?;
        let mut ahead = bytes.clone();
        let escaped = (byte == b'%').then(|| Some(digit(ahead.next()?)? * 16 + digit(ahead.next()?)?)).flatten();
        if let Some(escaped) = escaped {
            bytes = ahead;
            return Some(escaped as u8);
        }
        Some(byte)
    })
}

/// Where a word of a path is kept. Numbers go by how long they are, or else every page had a word of its own; one of four
/// digits may be a year.
fn place_of_word(word: &str) -> u16 {
    if word.len() != 4 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return place([b'#', word.len().min(99) as u8].into_iter(), BITS);
    }
    place(decoded(word), BITS)
}

/// Where a word is kept, among so many bits' places, however its letters are written.
fn place(word: impl Iterator<Item = u8>, bits: u32) -> u16 {
    let hash = word.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (1 + (hash ^ hash >> 32) % ((1 << bits) - 1)) as u16
}

/// How words and rates go together.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
pub(super) struct Vocabulary {
    /// The weight of each word; that of none is the usual.
    weights: Vec<f32>,
}

impl Default for Vocabulary {
    fn default() -> Vocabulary {
        Vocabulary { weights: vec![0.0; PLACES] }
    }
}

impl Vocabulary {
    /// The logarithm of how much more often than usual pages with these words change.
    pub(super) fn offset(&self, words: &Words) -> f32 {
        words.places().map(|place| self.weights[place]).sum()
    }

    /// Fits the weights to pages: the words of each, and what was seen of it beside what is expected of one like it.
    pub(super) fn refit(&mut self, pages: impl Iterator<Item = (Words, Seen)> + Clone) {
        (0..STEPS).for_each(|_| self.step(pages.clone()));
    }

    fn step(&mut self, pages: impl Iterator<Item = (Words, Seen)>) {
        let mut sums = vec![(0.0_f32, 0.0_f32); PLACES];
        for (words, seen) in pages {
            let expected = seen.exposure * (self.weights[0] + self.offset(&words)).exp();
            let unsure = 1.0 + expected / SHAPE;
            let surprise = (seen.changes - expected) / unsure;
            // All words of the page step at once, so each takes its share of the way.
            let bend = expected / unsure * (1 + words.places().count()) as f32;
            for place in words.places().chain([0]) {
                let (slope, sum) = &mut sums[place];
                (*slope, *sum) = (*slope + surprise, *sum + bend);
            }
        }
        for (place, (weight, (slope, bend))) in self.weights.iter_mut().zip(sums).enumerate() {
            let ridge = if place == 0 { f32::MIN_POSITIVE } else { RIDGE };
            let step = (slope - ridge * *weight) / (bend + ridge);
            *weight =
                if place == 0 { *weight + step.clamp(-1.0, 1.0) } else { (*weight + step).clamp(-LARGEST, LARGEST) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_they_are_written() {
        let words = Words::of("https://x.org/wiki/Category_theory+basics");
        assert_eq!(words, Words::of("http://x.org/en/wiki//category-THEORY/b%61sics"));
        let first = |words: Words| words.places().next();
        assert_ne!(first(words), first(Words::of("http://y.org/wiki/Category_theory+basics")));
        assert_eq!(words.places().count(), 5);
        assert_eq!(Words::of("http://x.org/").places().count(), 1);
        assert_eq!(Words::of("http://x.org/a/a/a").places().count(), 2, "each word once");
        let [id, other, year] = ["/71", "/83", "/2024"].map(|path| Words::of(&format!("http://x.org{path}")));
        assert!(id == other && id != year && year != Words::of("http://x.org/2025"), "ids are alike, years are not");
        assert_eq!(Words::of("http://x.org/%D0%BA%D0%BE%D1%82"), Words::of("http://x.org/кот"));
    }

    #[test]
    fn any_address_will_do() {
        for url in ["", "://", "%", "x%", "x/%4", "http://", "/%zz/%", "http://x.org/\u{0}é%ff"] {
            assert!(Words::of(url).places().all(|place| place < PLACES), "{url}");
        }
    }

    #[test]
    fn learns_which_words_change_often() {
        let url = |page: u32| {
            let kind = if page.is_multiple_of(4) { "news" } else { "archive" };
            format!("http://x.org/{kind}/{}", page % 50)
        };
        let seen = |page: u32| Seen { changes: if page.is_multiple_of(4) { 8.0 } else { 1.0 }, exposure: 50.0 };
        let pages: Vec<_> = (0..1000).map(|page| (Words::of(&url(page)), seen(page))).collect();
        let mut vocabulary = Vocabulary::default();
        (0..20).for_each(|_| vocabulary.refit(pages.iter().copied()));
        let offset = |url: &str| vocabulary.offset(&Words::of(url));
        let apart = offset("http://x.org/news/999x") - offset("http://x.org/archive/999x");
        assert!((apart - 8.0_f32.ln()).abs() < 0.3, "{apart}");
        assert_eq!(offset("http://other.net/nothing/seen"), 0.0);
    }

    #[test]
    fn words_that_come_together_do_not_overshoot() {
        let words = Words::of("http://x.org/a/b/c/d");
        let pages: Vec<_> =
            (0..500).map(|page| if page % 2 == 0 { (words, 10.0) } else { (Words::NONE, 1.0) }).collect();
        let mut vocabulary = Vocabulary::default();
        for _ in 0..30 {
            vocabulary.refit(pages.iter().map(|(words, changes)| (*words, Seen { changes: *changes, exposure: 20.0 })));
            assert!(vocabulary.offset(&words) < 10.0_f32.ln() + 0.1, "{}", vocabulary.offset(&words));
        }
        assert!(vocabulary.offset(&words) > 2.0);
    }
}
