//! What a document says, whatever its format: a title and some items. A change is a change of one of them.

use crate::draw::Draw;

/// A way to write in which a document keeps to one set of letters, so that several charsets can hold it.
pub(crate) struct Script {
    pub(crate) words: &'static [&'static str],
    pub(crate) charsets: &'static [&'static str],
}

pub(crate) const SCRIPTS: [Script; 3] = [
    Script {
        words: &["café", "müßig", "año", "naïve", "plain", "Größe", "A & B", "x < y", "\"so\"", "it's", "été"],
        charsets: &["utf-8", "windows-1252", "iso-8859-15", "macintosh", "utf-16le", "utf-16be"],
    },
    Script {
        words: &["город", "Москва", "снег", "река", "дом", "цена", "новый"],
        charsets: &["utf-8", "windows-1251", "koi8-r", "iso-8859-5", "utf-16le"],
    },
    Script {
        words: &["東京", "価格", "新しい", "ニュース", "天気", "カメラ"],
        charsets: &["utf-8", "shift_jis", "euc-jp", "utf-16be"],
    },
];

/// All that a document says.
#[derive(Clone, PartialEq)]
pub(crate) struct Content {
    pub(crate) title: String,
    pub(crate) items: Vec<Item>,
}

#[derive(Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) id: u64,
    pub(crate) name: String,
    /// In hundredths.
    pub(crate) price: u64,
    pub(crate) note: String,
}

impl Item {
    /// The price in its shortest spelling.
    pub(crate) fn price(&self) -> String {
        format!("{}.{:02}", self.price / 100, self.price % 100)
    }
}

impl Content {
    pub(crate) fn new(script: &Script, draw: &mut Draw) -> Content {
        let items = (0..3 + draw.below(12)).map(|_| item(script, draw)).collect();
        Content { title: words(script, draw), items }
    }

    /// The same with one difference in what it says.
    pub(crate) fn changed(&self, script: &Script, draw: &mut Draw) -> Content {
        let mut content = self.clone();
        let place = draw.below(content.items.len());
        while content == *self {
            match draw.below(6) {
                0 => content.items.insert(place, item(script, draw)),
                1 if content.items.len() > 1 => _ = content.items.remove(place),
                2 => content.title = words(script, draw),
                3 => content.items[place].name = words(script, draw),
                4 => content.items[place].price += 1 + draw.below(50) as u64,
                _ => content.items[place].note = words(script, draw),
            }
        }
        content
    }
}

fn item(script: &Script, draw: &mut Draw) -> Item {
    let (name, note) = (words(script, draw), words(script, draw));
    Item { id: draw.number() >> 32, name, price: draw.below(100_000) as u64 + 1, note }
}

/// A few words and a number, so that no two are the same by chance.
fn words(script: &Script, draw: &mut Draw) -> String {
    let (one, other) = (draw.pick(script.words), draw.pick(script.words));
    format!("{one} {other} {}", draw.below(1_000_000))
}
