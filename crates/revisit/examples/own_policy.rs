//! A policy of one's own: `cargo run -p revisit --example own_policy`.
//!
//! Pages of an office change while people work. So this one visits them by day only, and among those it may visit it puts
//! first what changed most often and was not seen for longest. Whatever has a `score` and a `reason` is a policy: the
//! scheduler runs it like those of the registry, and so does the lab.

use revisit::{BadScore, Floors, History, HostId, Outcome, PageId, Policy, Scheduler, Span, Time, Visit};

/// Visits between these hours of the day (UTC), and at no other time.
struct OfficeHours {
    from: i64,
    to: i64,
}

impl OfficeHours {
    fn is_open(&self, now: Time) -> bool {
        (self.from..self.to).contains(&(now.secs() / 3600 % 24))
    }
}

impl Policy for OfficeHours {
    fn score(&self, _page: PageId, history: &History, now: Time) -> Option<f64> {
        let waited = history.elapsed(now)?.as_days();
        // Half a change and half a visit without one, so that a page seen once is neither sure to change nor never will.
        let share = (f64::from(history.changes()) + 0.5) / (f64::from(history.observations()) + 1.0);
        self.is_open(now).then_some(share * waited)
    }

    fn reason(&self, page: PageId, history: &History, now: Time) -> String {
        match self.score(page, history, now) {
            Some(score) => {
                format!("{} of {} visits saw a change: {score:.2}", history.changes(), history.observations())
            }
            None => format!("visits are made from {} to {} o'clock", self.from, self.to),
        }
    }
}

fn main() -> Result<(), BadScore> {
    let mut scheduler =
        Scheduler::new(Box::new(OfficeHours { from: 8, to: 18 }), Span::HOUR, Floors { first: 0.5, again: 0.0 });
    let pages: Vec<PageId> = (0..6).map(|page| scheduler.add(PageId(page), HostId(0), 1.0)).collect();
    let mut visits = vec![0; pages.len()];
    for hour in 0..10 * 24 {
        let now = Time::from_secs(hour * 3600);
        scheduler.open_cycle(1, 1, now);
        for page in scheduler.pick(now, 1)? {
            let seen = scheduler.pages().history(page).first_seen().is_some();
            // Pages 0 and 1 are always found changed, the others never.
            let outcome = match page.0 {
                _ if !seen => Outcome::First,
                0 | 1 => Outcome::Changed,
                _ => Outcome::Unchanged,
            };
            scheduler.record(&Visit { page, at: now, outcome });
            visits[page.index()] += 1;
        }
    }
    for page in pages {
        let noon = Time::from_secs((10 * 24 + 12) * 3600);
        println!("page {}: {} visits; {}", page.0, visits[page.index()], scheduler.reason(page, noon));
    }
    println!("at midnight: {}", scheduler.reason(PageId(0), Time::from_secs(10 * 24 * 3600)));
    Ok(())
}
