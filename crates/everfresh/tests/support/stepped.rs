//! A crawl of a living web in stepped time, in parts as long as one likes, with the server's log to hold it against.

use everfresh::clock::Clock;
use everfresh::collection::Collection;
use everfresh::config::Config;
use everfresh::living::{LivingWeb, Request, Script};
use everfresh::pipeline::{self, Goal, Limits, Summary};
use everfresh::settings::Settings;
use everfresh::shutdown::Shutdown;
use everfresh::units;
use revisit::{Span, Time};
use tempfile::TempDir;

use super::collection::{config_for, new_collection};

/// How long a cycle is.
pub(crate) const CYCLE: Span = Span::HOUR;

/// A living web that exists for a day already, and a collection of it.
pub(crate) struct Stepped {
    pub(crate) web: LivingWeb,
    pub(crate) clock: Clock,
    pub(crate) start: Time,
    pub(crate) config: Config,
    pub(crate) folder: TempDir,
}

impl Stepped {
    /// With this delay between two requests to a host, so many fetches a cycle, and what else the configuration is to say.
    pub(crate) async fn new(script: Script, delay: Span, budget: usize, change: impl FnOnce(&mut Config)) -> Stepped {
        let start = script.begins() + Span::DAY;
        let clock = Clock::stepped(start);
        let web = LivingWeb::start(script, clock.clone()).await.unwrap();
        let mut config = config_for(&web, delay);
        config.schedule.cycle = units::Duration(CYCLE);
        config.schedule.budget = budget;
        change(&mut config);
        let folder = new_collection(&config, &web, start);
        Stepped { web, clock, start, config, folder }
    }

    /// Crawls until so many cycles have passed since the beginning.
    pub(crate) async fn run_until(&self, cycles: f64) -> Summary {
        let (trigger, shutdown) = Shutdown::new();
        let stop = async {
            self.clock.sleep_until(self.start + CYCLE * cycles).await;
            trigger.ask();
        };
        let settings = Settings::resolve(self.config.clone()).unwrap();
        let (collection, limits) =
            (Collection::at(self.folder.path()), Limits { goal: Goal::Forever, max_visits: None });
        let crawl = pipeline::run(&collection, settings, self.clock.clone(), limits, shutdown, |_| {});
        tokio::join!(crawl, stop).0.unwrap()
    }

    /// In which cycle a request came, counted from 0.
    pub(crate) fn cycle_of(&self, request: &Request) -> usize {
        (request.at - self.start).ratio(CYCLE) as usize
    }

    /// Requests in each of so many cycles that are `counted`.
    pub(crate) fn requests(&self, cycles: usize, counted: impl Fn(&Request) -> bool) -> Vec<usize> {
        let mut requests = vec![0; cycles];
        for request in self.web.log().iter().filter(|request| counted(request)) {
            requests.get_mut(self.cycle_of(request)).into_iter().for_each(|count| *count += 1);
        }
        requests
    }
}
