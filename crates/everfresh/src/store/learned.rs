//! The journal: what each batch taught that no table keeps as it was.
//!
//! Of a page's links, and of what lists say of it, the tables have the latest alone. What a crawl makes of them depends on when
//! it heard of each, so every batch also writes down what it changed, in a few bytes a page: replayed batch by batch, links, hints and
//! trust are as the crawl learned them.

use revisit::site::Trust;
use revisit::{HostId, ListKind, PageId, PageOrder, Time};

use super::rows::{HintsRow, LinksRow};
use super::{Batch, varint};

/// What begins every entry: how the rest is to be read.
const FORMAT: u8 = 4;
/// The format before, which knew of no requests but those of visits.
const WITHOUT_CHARGES: u8 = 3;
/// The one before, which knew of no orders either.
const WITHOUT_ORDERS: u8 = 2;
/// The one before that, which knew of no weights either.
const WITHOUT_WEIGHTS: u8 = 1;

/// What a batch taught beside its pages and visits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// Links of pages that were read anew; targets rise.
    pub links: Vec<LinksRow>,
    /// What lists said.
    pub hints: Vec<HintsRow>,
    /// Pages whose first version was seen: their features are kept elsewhere.
    pub described: Vec<PageId>,
    /// What the dates of hosts were worth after it, if that cannot be learned from what was said and seen.
    pub trust: Vec<(HostId, Trust)>,
    /// Known pages that became seeds, and how much they matter since.
    pub weights: Vec<(PageId, f32)>,
    /// What was ordered of pages, in order.
    pub orders: Vec<(PageId, PageOrder)>,
    /// Requests made beside those of its visits.
    pub charged: u32,
}

impl Learned {
    /// What is to be learned from a batch that described these pages.
    pub(super) fn of(batch: &Batch, described: Vec<PageId>) -> Learned {
        let links = batch.links.iter().map(|row| LinksRow::new(row.page, row.targets.clone())).collect();
        let (hints, weights, orders) = (batch.hints.clone(), batch.adopted.clone(), batch.orders.clone());
        Learned { links, hints, described, trust: Vec::new(), weights, orders, charged: batch.charged }
    }

    /// Whether it is nothing.
    pub(super) fn is_empty(&self) -> bool {
        let Learned { links, hints, described, trust, weights, orders, charged } = self;
        let is_nothing_said = hints.is_empty() && trust.is_empty() && weights.is_empty() && orders.is_empty();
        links.is_empty() && described.is_empty() && is_nothing_said && *charged == 0
    }

    /// As bytes.
    pub(super) fn pack(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT];
        varint::push(&mut bytes, self.links.len() as u64);
        for LinksRow { page, targets } in &self.links {
            varint::push(&mut bytes, page.0.into());
            push_block(&mut bytes, &varint::pack(targets));
        }
        varint::push(&mut bytes, self.hints.len() as u64);
        self.hints.iter().for_each(|row| push_hints(&mut bytes, row));
        push_block(&mut bytes, &varint::pack(&self.described));
        varint::push(&mut bytes, self.trust.len() as u64);
        for (host, trust) in &self.trust {
            varint::push(&mut bytes, host.0.into());
            trust.numbers().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        varint::push(&mut bytes, self.weights.len() as u64);
        for (page, weight) in &self.weights {
            varint::push(&mut bytes, page.0.into());
            bytes.extend(weight.to_le_bytes());
        }
        varint::push(&mut bytes, self.orders.len() as u64);
        for (page, order) in &self.orders {
            varint::push(&mut bytes, page.0.into());
            push_order(&mut bytes, *order);
        }
        varint::push(&mut bytes, self.charged.into());
        bytes
    }

    /// What was packed; `None` if it is damaged or of a later format.
    pub(super) fn unpack(bytes: &[u8]) -> Option<Learned> {
        let (format, mut rest) = bytes.split_first()?;
        if ![FORMAT, WITHOUT_CHARGES, WITHOUT_ORDERS, WITHOUT_WEIGHTS].contains(format) {
            return None;
        }
        let (rest, mut learned) = (&mut rest, Learned::default());
        for _ in 0..varint::take(rest)? {
            let page = page(rest)?;
            learned.links.push(LinksRow { page, targets: varint::unpack(block(rest)?).collect() });
        }
        for _ in 0..varint::take(rest)? {
            learned.hints.push(hints(rest)?);
        }
        learned.described = varint::unpack(block(rest)?).collect();
        for _ in 0..varint::take(rest)? {
            let host = HostId(u32::try_from(varint::take(rest)?).ok()?);
            let mut numbers = [0.0; 6];
            for number in &mut numbers {
                *number = float(rest)?;
            }
            learned.trust.push((host, Trust::from_numbers(numbers)));
        }
        let weights = if *format == WITHOUT_WEIGHTS { 0 } else { varint::take(rest)? };
        for _ in 0..weights {
            learned.weights.push((page(rest)?, float(rest)?));
        }
        let orders = if *format <= WITHOUT_ORDERS { 0 } else { varint::take(rest)? };
        for _ in 0..orders {
            learned.orders.push((page(rest)?, order(rest)?));
        }
        if *format > WITHOUT_CHARGES {
            learned.charged = u32::try_from(varint::take(rest)?).ok()?;
        }
        rest.is_empty().then_some(learned)
    }
}

fn push_order(bytes: &mut Vec<u8>, order: PageOrder) {
    match order {
        PageOrder::Pause => bytes.push(0),
        PageOrder::Resume => bytes.push(1),
        PageOrder::Remove => bytes.push(2),
        PageOrder::Visit => bytes.push(3),
        PageOrder::Weigh(weight) => {
            bytes.push(4);
            bytes.extend(weight.to_le_bytes());
        }
    }
}

fn order(rest: &mut &[u8]) -> Option<PageOrder> {
    let (kind, after) = rest.split_first()?;
    *rest = after;
    Some(match kind {
        0 => PageOrder::Pause,
        1 => PageOrder::Resume,
        2 => PageOrder::Remove,
        3 => PageOrder::Visit,
        4 => PageOrder::Weigh(float(rest)?),
        _ => return None,
    })
}

fn push_hints(bytes: &mut Vec<u8>, row: &HintsRow) {
    varint::push(bytes, row.list.0.into());
    bytes.push(u8::from(row.kind == ListKind::Feed));
    varint::push_signed(bytes, row.at.millis());
    varint::push(bytes, row.entries.len() as u64);
    let mut last = i64::from(row.list.0);
    for (page, modified) in &row.entries {
        varint::push_signed(bytes, i64::from(page.0) - last);
        last = page.0.into();
        // Hosts say what they like, and it comes back as it was.
        varint::push_signed(bytes, row.at.millis().wrapping_sub(modified.millis()));
    }
}

fn hints(rest: &mut &[u8]) -> Option<HintsRow> {
    let list = page(rest)?;
    let (kind, after) = rest.split_first()?;
    *rest = after;
    let kind = match kind {
        0 => ListKind::Sitemap,
        1 => ListKind::Feed,
        _ => return None,
    };
    let at = varint::take_signed(rest)?;
    let (mut entries, mut last) = (Vec::new(), i64::from(list.0));
    for _ in 0..varint::take(rest)? {
        last = last.checked_add(varint::take_signed(rest)?)?;
        let modified = at.wrapping_sub(varint::take_signed(rest)?);
        entries.push((PageId(u32::try_from(last).ok()?), Time::from_millis(modified)));
    }
    Some(HintsRow { list, kind, at: Time::from_millis(at), entries })
}

fn float(rest: &mut &[u8]) -> Option<f32> {
    let (bytes, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(f32::from_le_bytes(*bytes))
}

fn page(rest: &mut &[u8]) -> Option<PageId> {
    Some(PageId(u32::try_from(varint::take(rest)?).ok()?))
}

fn push_block(bytes: &mut Vec<u8>, block: &[u8]) {
    varint::push(bytes, block.len() as u64);
    bytes.extend_from_slice(block);
}

fn block<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(varint::take(rest)?).ok()?;
    let (block, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn pages() -> impl Strategy<Value = Vec<PageId>> {
        prop::collection::btree_set(any::<u32>(), 0..9).prop_map(|pages| pages.into_iter().map(PageId).collect())
    }

    fn learned() -> impl Strategy<Value = Learned> {
        let links = (any::<u32>(), pages()).prop_map(|(page, targets)| LinksRow { page: PageId(page), targets });
        let entry = (any::<u32>(), any::<i64>()).prop_map(|(page, at)| (PageId(page), Time::from_millis(at)));
        let hints =
            (any::<u32>(), any::<bool>(), any::<i64>(), vec(entry, 0..9)).prop_map(|(list, feed, at, entries)| {
                let kind = if feed { ListKind::Feed } else { ListKind::Sitemap };
                HintsRow { list: PageId(list), kind, at: Time::from_millis(at), entries }
            });
        let trust = (any::<u32>(), any::<[f32; 6]>())
            .prop_filter("numbers", |(_, numbers)| numbers.iter().all(|number| number.is_finite()))
            .prop_map(|(host, numbers)| (HostId(host), Trust::from_numbers(numbers)));
        let weights = vec((any::<u32>().prop_map(PageId), 0.0_f32..9.0), 0..5);
        let order = prop_oneof![
            Just(PageOrder::Pause),
            Just(PageOrder::Resume),
            Just(PageOrder::Remove),
            Just(PageOrder::Visit),
            (0.0_f32..9.0).prop_map(PageOrder::Weigh),
        ];
        let orders = vec((any::<u32>().prop_map(PageId), order), 0..5);
        (vec(links, 0..5), vec(hints, 0..5), pages(), vec(trust, 0..5), weights, orders, any::<u32>()).prop_map(
            |(links, hints, described, trust, weights, orders, charged)| Learned {
                links,
                hints,
                described,
                trust,
                weights,
                orders,
                charged,
            },
        )
    }

    proptest! {
        #[test]
        fn what_was_learned_comes_back(learned in learned()) {
            prop_assert_eq!(Learned::unpack(&learned.pack()), Some(learned));
        }

        #[test]
        fn what_is_cut_or_damaged_is_told(learned in learned(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = learned.pack();
            prop_assert_eq!(Learned::unpack(&bytes[..cut.index(bytes.len())]), None);
            let place = cut.index(bytes.len());
            bytes[place] = byte;
            // It may come to something else, but not to an end.
            let _ = Learned::unpack(&bytes);
        }
    }
}
