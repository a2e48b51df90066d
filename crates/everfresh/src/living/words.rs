//! Word soup: sentences that look like news, a manual or an encyclopedia, with entities and letters beyond ASCII.
//!
//! Letters stay within ISO 8859-1, so that every text can also be sent in that charset.

use super::random::Random;
use super::script::Flavour;

struct Vocabulary {
    nouns: &'static [&'static str],
    adjectives: &'static [&'static str],
    verbs: &'static [&'static str],
}

#[rustfmt::skip]
const NEWS: Vocabulary = Vocabulary {
    nouns: &[
        "council", "minister", "harbour", "strike", "election", "budget", "river", "festival", "market", "hospital",
        "railway", "union", "court", "museum", "inquiry", "bridge", "orchestra", "ferry", "school", "reservoir",
        "tournament", "airport", "newspaper", "café",
    ],
    adjectives: &[
        "regional", "disputed", "long-awaited", "public", "early", "costly", "popular", "secret", "annual",
        "divided", "northern", "cautious", "record", "troubled", "modest", "Málaga",
    ],
    verbs: &[
        "delays", "approves", "rejects", "opens", "questions", "celebrates", "reviews", "surprises", "abandons",
        "defends", "outpaces", "rescues", "warns", "follows",
    ],
};

#[rustfmt::skip]
const MANUAL: Vocabulary = Vocabulary {
    nouns: &[
        "request", "buffer", "handler", "option", "thread", "socket", "parser", "schema", "index", "lock", "cursor",
        "module", "table", "iterator", "header", "callback", "journal", "segment", "allocator", "timeout",
        "registry", "transaction", "queue", "naïve loop",
    ],
    adjectives: &[
        "default", "optional", "deprecated", "asynchronous", "shared", "bounded", "nested", "internal", "lazy",
        "persistent", "read-only", "atomic", "unused", "remote", "typed", "virtual",
    ],
    verbs: &[
        "returns", "blocks", "wraps", "extends", "closes", "validates", "overrides", "flushes", "registers",
        "invalidates", "encodes", "retries", "locks", "replaces",
    ],
};

#[rustfmt::skip]
const WIKI: Vocabulary = Vocabulary {
    nouns: &[
        "species", "dynasty", "mountain", "theorem", "composer", "village", "treaty", "glacier", "cathedral",
        "dialect", "comet", "manuscript", "island", "beetle", "philosopher", "mineral", "province", "sonata",
        "archipelago", "castle", "orchid", "canal", "expedition", "Zürich school",
    ],
    adjectives: &[
        "medieval", "endemic", "Baroque", "volcanic", "celebrated", "extinct", "coastal", "early", "minor", "alpine",
        "lesser-known", "Ottoman", "tropical", "fortified", "Portuguese", "späte",
    ],
    verbs: &[
        "describes", "influences", "precedes", "inhabits", "borders", "dominates", "resembles", "commemorates",
        "contradicts", "surrounds", "predates", "inspires", "overlooks", "succeeds",
    ],
};

const CLAUSES: &[&str] = &[
    "after months of work",
    "as São Paulo did before",
    "in spite of the weather",
    "according to the r&eacute;sum&eacute;",
    "within &frac12; of the time",
    "for reasons that nobody &mdash; so far &mdash; explains",
    "before &amp; after the break",
    "with little effect",
    "at no cost&nbsp;at all",
    "&ldquo;as planned&rdquo;",
    "for the first time",
    "although it&#8217;s rare",
];

impl Flavour {
    fn vocabulary(self) -> &'static Vocabulary {
        match self {
            Flavour::News => &NEWS,
            Flavour::Manual => &MANUAL,
            Flavour::Wiki => &WIKI,
        }
    }
}

/// A headline without entities.
pub(super) fn title(random: &mut Random, flavour: Flavour) -> String {
    let Vocabulary { nouns, adjectives, verbs } = flavour.vocabulary();
    let words = [random.pick(adjectives), random.pick(nouns), random.pick(verbs), random.pick(nouns)];
    capital(&words.join(" "))
}

/// Appends one sentence, as HTML.
pub(super) fn sentence(random: &mut Random, flavour: Flavour, out: &mut String) {
    let Vocabulary { nouns, adjectives, verbs } = flavour.vocabulary();
    let number = (2 + random.below(97)).to_string();
    out.push_str("The");
    let subject = [random.pick(adjectives), random.pick(nouns), random.pick(verbs)];
    let object = [number.as_str(), random.pick(adjectives), random.pick(nouns), random.pick(CLAUSES)];
    for word in subject.into_iter().chain(object) {
        out.push(' ');
        out.push_str(word);
    }
    out.push_str(". ");
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_fit_into_latin_1() {
        for flavour in [Flavour::News, Flavour::Manual, Flavour::Wiki] {
            let mut text = String::new();
            let mut random = Random::new(1, "words", 0);
            (0..500).for_each(|_| sentence(&mut random, flavour, &mut text));
            assert!(text.chars().all(|letter| u32::from(letter) < 256));
            assert!(text.contains("&amp;") && !text.is_ascii());
        }
    }

    #[test]
    fn titles_are_plain_text() {
        let mut random = Random::new(1, "words", 0);
        assert!((0..200).map(|_| title(&mut random, Flavour::Wiki)).all(|title| !title.contains(['&', '<'])));
    }
}
