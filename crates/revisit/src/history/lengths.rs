//! How long the intervals between a page's visits were, for the methods that estimate rates from them.
//!
//! Of an unchanged interval only the length matters, and lengths add up; a changed interval enters nonlinearly, so changed
//! intervals are counted in buckets whose lengths grow by 2.5 from minutes to years. Methods that weigh a change by how
//! recent it is need where among the visits and when the changes were seen: both are kept as sums, so that no score has
//! to walk through anything.

use crate::time::Span;

/// Buckets for the lengths of changed intervals: under 5 minutes, then 5–12.5, 12.5–31, …; the last from 1.4 years on.
const BUCKETS: usize = 15;
/// Where the second bucket begins, in minutes.
const SHORTEST: f64 = 5.0;
/// How much longer each bucket is than the one before.
const GROWTH: f64 = 2.5;

/// The lengths of one page's intervals, in 48 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
pub(super) struct Lengths {
    // Sums in f32 are exact for whole numbers up to 16 million, and right to a millionth beyond.
    change_places: f32,
    change_minutes: f32,
    unchanged_minutes: f32,
    changed_minutes: f32,
    changed_intervals: [u16; BUCKETS],
}

impl Lengths {
    /// A change was seen by an observation of this place, after so long, if the page was seen before; so long after the first.
    pub(super) fn add_changed(&mut self, elapsed: Option<Span>, place: u32, known: Span) {
        self.change_places += place as f32;
        self.change_minutes += minutes_of(known) as f32;
        if let Some(minutes) = elapsed.map(minutes_of) {
            let bucket = &mut self.changed_intervals[bucket_of(minutes)];
            *bucket = bucket.saturating_add(1);
            self.changed_minutes += minutes as f32;
        }
    }

    /// Nothing had changed after so long.
    pub(super) fn add_unchanged(&mut self, elapsed: Option<Span>) {
        self.unchanged_minutes += elapsed.map_or(0.0, minutes_of) as f32;
    }

    pub(super) fn change_places(&self) -> f64 {
        f64::from(self.change_places)
    }

    pub(super) fn change_days(&self) -> f64 {
        f64::from(self.change_minutes) / 1440.0
    }

    pub(super) fn unchanged_days(&self) -> f64 {
        f64::from(self.unchanged_minutes) / 1440.0
    }

    /// Within a bucket lengths are unknown, so each stands for the bucket's middle; all are scaled by one factor such that
    /// they add up to the true total, which keeps the error of a rate below a few per cent.
    pub(super) fn changed_intervals(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let middles: f64 = self.counts().map(|(bucket, count)| f64::from(count) * middle_of(bucket)).sum();
        let scale = if middles > 0.0 { f64::from(self.changed_minutes) / middles / 1440.0 } else { 0.0 };
        self.counts().map(move |(bucket, count)| (count, middle_of(bucket) * scale))
    }

    fn counts(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let counts = self.changed_intervals.iter().enumerate();
        counts.filter(|(_, count)| **count > 0).map(|(bucket, count)| (bucket, u32::from(*count)))
    }
}

fn minutes_of(span: Span) -> f64 {
    span.as_secs() / 60.0
}

fn bucket_of(minutes: f64) -> usize {
    if minutes < SHORTEST {
        return 0;
    }
    (1 + ((minutes / SHORTEST).ln() / GROWTH.ln()) as usize).min(BUCKETS - 1)
}

/// The geometric middle of a bucket, in minutes: rates are judged by ratios.
fn middle_of(bucket: usize) -> f64 {
    SHORTEST * GROWTH.powf(bucket as f64 - 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_cover_every_length() {
        assert_eq!([0.0, 4.9, 5.0, 12.4, 12.6, 1e12].map(bucket_of), [0, 0, 1, 1, 2, BUCKETS - 1]);
        for bucket in 0..BUCKETS {
            assert_eq!(bucket_of(middle_of(bucket)), bucket);
        }
    }
}
