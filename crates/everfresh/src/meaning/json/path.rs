//! Paths to values that do not count: `$.meta.generated`, `$..timestamp`, `$.items[*]['last seen']`, `$.rows[0]`.
//!
//! While a document is read, each open value holds the places in the paths that were reached at it; there are never more of
//! them than steps in all paths together, however deep the document.

use super::super::Unreadable;

/// A path as steps from the root.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Path(Vec<Step>);

/// A step of a path.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    /// Any number of levels may lie before it (`..`).
    is_deep: bool,
    to: Target,
}

#[derive(Debug, PartialEq, Eq)]
enum Target {
    Member(String),
    Index(usize),
    Any,
}

/// Which child of a value.
#[derive(Clone, Copy)]
pub(crate) enum Child<'a> {
    Member(&'a str),
    Index(usize),
}

/// A place in the paths: the path's number and that of its next step.
pub(crate) type Reached = (u32, u32);

impl Path {
    /// Reads a path as users write it.
    pub(crate) fn parse(text: &str) -> Result<Path, Unreadable> {
        let wrong = || Unreadable::Path(text.to_owned());
        let mut rest = text.trim().strip_prefix('$').ok_or_else(wrong)?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, after) = step(rest).ok_or_else(wrong)?;
            steps.push(step);
            rest = after;
        }
        if steps.is_empty() { Err(wrong()) } else { Ok(Path(steps)) }
    }
}

/// The first step of a path, and the rest of it.
fn step(text: &str) -> Option<(Step, &str)> {
    let (is_deep, rest) = text.strip_prefix("..").map_or((false, text), |rest| (true, rest));
    if let Some(rest) = rest.strip_prefix('[') {
        let (to, rest) = bracket(rest)?;
        return Some((Step { is_deep, to }, rest));
    }
    let rest = if is_deep { rest } else { rest.strip_prefix('.')? };
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let to = match &rest[..end] {
        "" => return None,
        "*" => Target::Any,
        name => Target::Member(name.to_owned()),
    };
    Some((Step { is_deep, to }, &rest[end..]))
}

/// What stands in brackets, and the rest behind them.
fn bracket(text: &str) -> Option<(Target, &str)> {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        let (name, rest) = text[1..].split_once(quote)?;
        return Some((Target::Member(name.to_owned()), rest.strip_prefix(']')?));
    }
    let (inside, rest) = text.split_once(']')?;
    let to = if inside == "*" { Target::Any } else { Target::Index(inside.parse().ok()?) };
    Some((to, rest))
}

/// The places reached at the root.
pub(crate) fn start(paths: &[Path]) -> Vec<Reached> {
    (0..paths.len() as u32).map(|path| (path, 0)).collect()
}

/// The places reached at a child of a value at which `here` was reached; `None` if a path ends there.
pub(crate) fn enter(paths: &[Path], here: &[Reached], child: Child<'_>) -> Option<Vec<Reached>> {
    let mut reached = Vec::new();
    for (path, at) in here {
        let steps = &paths[*path as usize].0;
        let step = &steps[*at as usize];
        if step.is_deep {
            reached.push((*path, *at));
        }
        if step.leads_to(child) {
            if *at as usize + 1 == steps.len() {
                return None;
            }
            reached.push((*path, at + 1));
        }
    }
    reached.sort_unstable();
    reached.dedup();
    Some(reached)
}

impl Step {
    fn leads_to(&self, child: Child<'_>) -> bool {
        match (&self.to, child) {
            (Target::Any, _) => true,
            (Target::Member(name), Child::Member(member)) => name == member,
            (Target::Index(index), Child::Index(at)) => *index == at,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_users_write_them() {
        let step = |is_deep, to| Step { is_deep, to };
        let member = |name: &str| Target::Member(name.to_owned());
        assert_eq!(
            Path::parse("$.a['b.c'][3]..d.*[*]").unwrap().0,
            [
                step(false, member("a")),
                step(false, member("b.c")),
                step(false, Target::Index(3)),
                step(true, member("d")),
                step(false, Target::Any),
                step(false, Target::Any)
            ]
        );
        for wrong in ["", "$", "a", "$a", "$.", "$.a.", "$...a", "$[", "$[x]", "$['a", "$['a'", "$.a..", "$[-1]", "$['"]
        {
            assert_eq!(Path::parse(wrong).err(), Some(Unreadable::Path(wrong.to_owned())), "{wrong}");
        }
    }
}
