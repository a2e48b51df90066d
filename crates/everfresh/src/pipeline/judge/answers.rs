//! Answers whose status says it all: where a page went, that it is as it was, that it is gone, or nothing of it.

use revisit::Outcome;

use super::keep::Kept;
use super::{Case, Shown, Verdict, media_type};
use crate::fetch::{Exchange, Redirect, Validators};
use crate::parse::normalise;
use crate::rule::Rule;
use crate::store::{AsideRow, CopyRow};

/// 304: the server says that nothing changed; its validators may have.
pub(super) fn not_modified(case: &Case<'_>) -> Verdict {
    let conditions = case.page.validators(&case.context.settings);
    let Some(copy) = case.page.copy.as_ref().filter(|_| conditions != Validators::default()) else {
        return Verdict::failed(Rule::Status, "the server answered 304 to a request without conditions".into());
    };
    let copy = refreshed(copy, case.exchange());
    Verdict { copy, kept: Kept::NotModified, ..Verdict::of(Rule::NotModified) }
}

/// The copy with the validators of an exchange that showed the same bytes; `None` if they are the same too.
pub(super) fn refreshed(copy: &CopyRow, exchange: &Exchange) -> Option<CopyRow> {
    let Validators { etag, last_modified } = exchange.validators();
    // A 304 need not repeat the validators.
    let (etag, last_modified) = (etag.or(copy.etag.clone()), last_modified.or(copy.last_modified.clone()));
    let same = etag == copy.etag && last_modified == copy.last_modified;
    (!same).then(|| CopyRow { etag, last_modified, ..copy.clone() })
}

/// A redirect is a page whose content is where it leads. One that holds for good means that the page itself is gone. Whether
/// it leads back here is for the loop to say, which knows where others lead.
pub(super) fn redirected(case: &Case<'_>) -> Verdict {
    let Some(Redirect { target, permanent }) = case.exchange().redirect() else {
        return Verdict::failed(Rule::BadRedirect, "a redirect without a target".into());
    };
    let target = match target.map(normalise::normalise) {
        Ok(Ok(target)) => target,
        Ok(Err(unfit)) => return Verdict::failed(Rule::BadRedirect, format!("redirects to a URL that is {unfit}")),
        Err(error) => return Verdict::failed(error.rule(), error.to_string()),
    };
    let limit = case.context.settings.max_redirects;
    if case.page.hops >= limit {
        return Verdict::failed(
            Rule::RedirectLimit,
            format!("more than {limit} redirects in a row (fetch.max_redirects)"),
        );
    }
    let before = case.page.copy.as_ref().map(|copy| copy.moved_to.as_deref() == Some(target.as_str()));
    let outcome = match before {
        _ if permanent => Outcome::Gone,
        None => Outcome::First,
        Some(true) => Outcome::Unchanged,
        Some(false) => Outcome::Changed,
    };
    let copy = CopyRow { moved_to: Some(target.as_str().to_owned()), ..case.new_copy() };
    let rule = if permanent { Rule::Moved } else { Rule::Redirect };
    let detail = Some(format!("redirects to {target}"));
    Verdict { outcome, detail, copy: Some(copy), shown: Shown::MovedTo(target), ..Verdict::of(rule) }
}

/// 404 or 410.
pub(super) fn gone(case: &Case<'_>) -> Verdict {
    let detail = Some(format!("status {}", case.exchange().status));
    beside(case, Verdict { outcome: Outcome::Gone, detail, ..Verdict::of(Rule::Gone) })
}

/// An answer that is no version of the page and is archived nevertheless: whole once, and as a revisit of that one for as long
/// as its body is the same.
pub(super) fn beside(case: &Case<'_>, verdict: Verdict) -> Verdict {
    let (page, since, payload) = (case.page.page, case.at, case.payload().0);
    match &case.page.aside {
        Some(aside) if aside.payload == payload => Verdict { kept: Kept::Again, ..verdict },
        _ => Verdict { kept: Kept::Whole, aside: Some(AsideRow { page, since, payload }), ..verdict },
    }
}

/// Any other status: the page may be as it was or not. A success is among them if it
/// [brings no version](crate::fetch::brings_version).
pub(super) fn no_version(case: &Case<'_>) -> Verdict {
    let status = case.exchange().status;
    let why = match status {
        200..300 => ", which brings no whole version of the page".to_owned(),
        _ => said(case),
    };
    Verdict::failed(Rule::Status, format!("the server answered with status {status}{why}"))
}

/// What the server of a source says to a refusal, as endpoints do of queries they do not understand.
fn said(case: &Case<'_>) -> String {
    let exchange = case.exchange();
    let is_text = media_type(exchange).is_some_and(|media_type| !media_type.to_ascii_lowercase().contains("html"));
    if case.page.source.is_none() || !is_text || exchange.body.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&exchange.body[..exchange.body.len().min(1000)]).into_owned();
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
    format!(": {line}")
}
