//! New formulas from old ones: crossover and the thesis' two mutations.

use super::generate::Alphabet;
use crate::lab::random::Random;
use crate::model::formula::expression::depth;
use crate::model::formula::{Formula, Node};

/// So often other places are tried if the children of a crossover come out too deep.
const TRIES: usize = 16;

/// Two children that have exchanged a subtree of each parent, neither deeper than `deepest`; copies of the parents if no
/// places were found for that.
pub(super) fn crossover(parents: (&Formula, &Formula), deepest: usize, random: &mut Random) -> (Formula, Formula) {
    let (first, second) = parents;
    for _ in 0..TRIES {
        let (one, other) = (place(first, random), place(second, random));
        let (one_start, other_start) = (first.start(one), second.start(other));
        let elder = graft(first.nodes(), one_start..one + 1, &second.nodes()[other_start..=other]);
        let younger = graft(second.nodes(), other_start..other + 1, &first.nodes()[one_start..=one]);
        if depth(&elder) <= deepest && depth(&younger) <= deepest {
            return (Formula::of_tree(elder), Formula::of_tree(younger));
        }
    }
    (first.clone(), second.clone())
}

/// A function drawn at random becomes a leaf, with everything under it; a lone leaf stays.
pub(super) fn shrink(formula: &Formula, alphabet: &Alphabet, random: &mut Random) -> Formula {
    let functions: Vec<usize> = (0..formula.size()).filter(|place| formula.nodes()[*place].arguments() > 0).collect();
    if functions.is_empty() {
        return formula.clone();
    }
    let root = functions[random.below(functions.len() as u64) as usize];
    let leaf = alphabet.leaf(random);
    Formula::of_tree(graft(formula.nodes(), formula.start(root)..root + 1, &[leaf]))
}

/// A node drawn at random becomes another of its kind: a leaf a leaf, a function one of as many arguments.
pub(super) fn replace(formula: &Formula, alphabet: &Alphabet, random: &mut Random) -> Formula {
    let mut nodes = formula.nodes().to_vec();
    let place = place(formula, random);
    nodes[place] = alphabet.replacement(nodes[place], random);
    Formula::of_tree(nodes)
}

fn place(formula: &Formula, random: &mut Random) -> usize {
    random.below(formula.size() as u64) as usize
}

/// Nodes with a piece exchanged for another.
fn graft(nodes: &[Node], piece: std::ops::Range<usize>, other: &[Node]) -> Vec<Node> {
    let mut result = Vec::with_capacity(nodes.len() - piece.len() + other.len());
    result.extend_from_slice(&nodes[..piece.start]);
    result.extend_from_slice(other);
    result.extend_from_slice(&nodes[piece.end..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::formula::Variable;

    fn formulas() -> (Alphabet, Vec<Formula>, Random) {
        let (alphabet, mut random) = (Alphabet::new(&Variable::THESIS), Random::stream(3, 0));
        let formulas = alphabet.ramped(200, 10, &mut random);
        (alphabet, formulas, random)
    }

    #[test]
    fn children_share_the_nodes_of_their_parents_and_keep_the_depth() {
        let (_, formulas, mut random) = formulas();
        for pair in formulas.windows(2) {
            let (elder, younger) = crossover((&pair[0], &pair[1]), 9, &mut random);
            assert_eq!(elder.size() + younger.size(), pair[0].size() + pair[1].size());
            let copied = (&elder, &younger) == (&pair[0], &pair[1]);
            assert!(copied || elder.depth().max(younger.depth()) <= 9);
            assert_eq!(Formula::new(elder.nodes().to_vec()), Ok(elder));
        }
    }

    #[test]
    fn mutations_make_whole_trees() {
        let (alphabet, formulas, mut random) = formulas();
        for formula in &formulas {
            let shrunk = shrink(formula, &alphabet, &mut random);
            assert!(shrunk.size() < formula.size() && Formula::new(shrunk.nodes().to_vec()).is_ok());
            let replaced = replace(formula, &alphabet, &mut random);
            let differ = replaced.nodes().iter().zip(formula.nodes()).filter(|(one, other)| one != other).count();
            assert_eq!((replaced.size(), differ), (formula.size(), 1));
        }
        let leaf: Formula = "t".parse().unwrap();
        assert_eq!(shrink(&leaf, &alphabet, &mut random), leaf);
    }
}
