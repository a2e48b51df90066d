use proptest::prelude::*;

use super::*;
use crate::model::tree::DEEPEST;

const NAN: f64 = f64::NAN;

fn data(rows: &[(&[f64], usize)]) -> Dataset {
    let mut data = Dataset::new((0..rows[0].0.len()).map(|n| format!("f{n}")), ["a", "b", "c"]).unwrap();
    rows.iter().for_each(|(row, class)| data.push(row, *class).unwrap());
    data
}

/// Class b in the corner where both features are above 4; the rest is class a.
fn corner() -> Dataset {
    let mut data = Dataset::new(["x", "y"], ["a", "b"]).unwrap();
    for number in 0..100 {
        let (x, y) = (f64::from(number % 10), f64::from(number / 10));
        data.push(&[x, y], usize::from(x > 4.0 && y > 4.0)).unwrap();
    }
    data
}

#[test]
fn a_corner_takes_two_conditions() {
    let tree = Tree::learn(&corner(), Pruning::Pruned).unwrap();
    let text = "x <= 4: a (50)\nx > 4\n|   y <= 4: a (25)\n|   y > 4: b (25)\n";
    assert_eq!((tree.to_string().as_str(), tree.leaves(), tree.depth()), (text, 3, 2));
}

#[test]
fn a_missing_value_goes_both_ways() {
    let tree = Tree::learn(&corner(), Pruning::Pruned).unwrap();
    // Half of the rows have y > 4 below x > 4, and half have x > 4.
    assert_eq!(tree.chances(&[9.0, NAN]), [0.5, 0.5]);
    assert_eq!(tree.chances(&[NAN, 9.0]), [0.5, 0.5]);
    assert_eq!(tree.chances(&[NAN, NAN]), [0.75, 0.25]);
    assert_eq!((tree.classify(&[NAN, NAN]), tree.classify(&[]), tree.classify(&[9.0])), (0, 0, 0));
    let said = tree.explain(&[9.0, NAN]).to_string();
    assert_eq!(said, "a (50 %): x is 9, more than 4; y is unknown, mostly at most 4");
}

#[test]
fn rows_with_missing_values_train_in_parts() {
    let mut rows: Vec<([f64; 1], usize)> = (0..8).map(|n| ([f64::from(n)], usize::from(n > 3))).collect();
    rows.extend([([NAN], 0), ([NAN], 1)]);
    let tree =
        Tree::learn(&data(&rows.iter().map(|(row, class)| (&row[..], *class)).collect::<Vec<_>>()), Pruning::Unpruned);
    assert_eq!(tree.unwrap().to_string(), "f0 <= 3: a (5/0.5)\nf0 > 3: b (5/0.5)\n");
}

#[test]
fn features_that_tell_nothing_leave_the_most_frequent_class() {
    let rows: [(&[f64], usize); 5] =
        [(&[1.0, NAN], 1), (&[1.0, NAN], 1), (&[1.0, NAN], 0), (&[1.0, NAN], 1), (&[1.0, NAN], 2)];
    let tree = Tree::learn(&data(&rows), Pruning::Unpruned).unwrap();
    assert_eq!(tree.to_string(), "b (5/2)\n");
    assert!(tree.picture().contains("b (5/2)"));
}

#[test]
fn one_class_and_no_rows_are_errors() {
    let one = Tree::learn(&data(&[(&[1.0], 1), (&[2.0], 1)]), Pruning::Pruned);
    assert_eq!(one, Err(LearnError::OneClass { rows: 2, class: "b".into() }));
    assert_eq!(Tree::learn(&corner().take(&[]), Pruning::Pruned), Err(LearnError::NoRows));
}

/// A random walk of conditions needs many levels, which a tree of 100,000 rows would not survive without a bound.
#[test]
fn a_staircase_stays_within_the_greatest_depth() {
    let mut data = Dataset::new(["x"], ["a", "b"]).unwrap();
    (0..3000).for_each(|n| data.push(&[f64::from(n)], (n / 3 % 2) as usize).unwrap());
    for pruning in [Pruning::Unpruned, Pruning::Pruned] {
        assert!(Tree::learn(&data, pruning).unwrap().depth() <= DEEPEST);
    }
}

#[test]
fn the_picture_has_a_line_for_each_leaf_and_stays_within_itself() {
    let mut random = crate::lab::random::Random::stream(1, 1);
    let mut data = Dataset::new(["a<b", "second & last"], ["x", "y", "z"]).unwrap();
    for _ in 0..3000 {
        let row = [random.unit(), random.unit() * 1e7];
        data.push(&row, ((row[0] * 40.0) as usize + random.below(2) as usize) % 3).unwrap();
    }
    let tree = Tree::learn(&data, Pruning::Unpruned).unwrap();
    assert!(tree.depth() > 10, "{}", tree.depth());
    let picture = tree.picture();
    assert_eq!(picture.matches("hsl(").count(), tree.leaves());
    assert_eq!(picture.matches("class=\"condition\"").count(), tree.leaves() - 1);
    assert!(picture.contains("a&lt;b") && picture.contains("second &amp; "));
    let number = |tag: &str, name: &str| -> f64 {
        tag.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    let (width, height) = (number(&picture, "width"), number(&picture, "height"));
    for tag in picture.lines().filter(|line| line.starts_with("<rect")) {
        let (right, bottom) = (number(tag, "x") + number(tag, "width"), number(tag, "y") + number(tag, "height"));
        assert!(right < width && bottom < height && number(tag, "width") < 220.0, "{tag}");
    }
}

#[test]
fn damaged_trees_are_refused() {
    let written = toml::to_string(&Tree::learn(&corner(), Pruning::Pruned).unwrap()).unwrap();
    let read = |text: &str| toml::from_str::<Tree>(text).map_err(|error| error.to_string());
    assert!(read(&written).is_ok());
    let damages = [
        ("feature = \"y\"", "feature = \"z\"", "asks for the feature \"z\""),
        ("at_most = 4.0", "at_most = nan", "a number that cannot be"),
        ("left_share = 0.5", "left_share = 2.0", "a number that cannot be"),
        ("rows = [50.0, 0.0]", "rows = [50.0]", "a number that cannot be"),
        ("rows = [50.0, 0.0]", "rows = [0.0, 0.0]", "a number that cannot be"),
        ("classes = [\"a\", \"b\"]", "classes = []", "0 classes"),
        ("features =", "colours =", "colours"),
    ];
    for (from, to, told) in damages {
        assert!(written.contains(from), "{written}");
        let error = read(&written.replace(from, to)).unwrap_err();
        assert!(error.contains(told), "{error}");
    }
    let cut = &written[..written.rfind("[[nodes]]").unwrap()];
    let spliced = format!("{written}\n[[nodes]]\nrows = [1.0, 2.0]\n");
    assert!(
        read(cut).unwrap_err().contains("cut or spliced") && read(&spliced).unwrap_err().contains("cut or spliced")
    );
}

prop_compose! {
    fn any_data()(rows in prop::collection::vec(
        (prop::collection::vec(prop_oneof![3 => (0..6_i32).prop_map(f64::from), 1 => Just(NAN)], 3), 0_usize..3), 2..60,
    )) -> Dataset {
        let mut data = Dataset::new(["p", "q", "r"], ["a", "b", "c"]).unwrap();
        rows.iter().for_each(|(row, class)| data.push(row, *class).unwrap());
        data
    }
}

proptest! {
    #[test]
    fn trees_are_sound_whatever_is_missing(data in any_data()) {
        let Ok(unpruned) = Tree::learn(&data, Pruning::Unpruned) else { return Ok(()) };
        let pruned = Tree::learn(&data, Pruning::Pruned).unwrap();
        prop_assert!(pruned.leaves() <= unpruned.leaves());
        for tree in [&unpruned, &pruned] {
            let rows: f64 = tree.nodes.iter().map(|node| match node {
                Node::Leaf(leaf) => leaf.weights.iter().sum::<f64>(),
                Node::Split(_) => 0.0,
            }).sum();
            prop_assert!((rows - data.len() as f64).abs() < 1e-6, "every row is in the leaves once: {rows}");
            for (row, _) in data.rows() {
                let chances = tree.chances(row);
                prop_assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                let explained = tree.explain(row);
                prop_assert!(explained.class == tree.classify(row) && explained.steps.len() <= tree.depth());
            }
            prop_assert_eq!(tree.to_string().lines().count(), tree.nodes.len().max(2) - 1);
        }
    }

    #[test]
    fn a_written_tree_reads_back_the_same(data in any_data()) {
        let Ok(tree) = Tree::learn(&data, Pruning::Unpruned) else { return Ok(()) };
        let written = toml::to_string(&tree).unwrap();
        prop_assert_eq!(toml::from_str::<Tree>(&written).unwrap(), tree);
    }

    /// With nothing missing and rows that agree, an unpruned tree must not be worse than the most frequent class.
    #[test]
    fn a_tree_errs_no_more_often_on_its_own_rows_than_its_commonest_class(data in any_data()) {
        let known = |row: &usize| data.row(*row).iter().all(|value| !value.is_nan());
        let known: Vec<usize> = (0..data.len()).filter(known).collect();
        let data = data.take(&known);
        let Ok(tree) = Tree::learn(&data, Pruning::Unpruned) else { return Ok(()) };
        let right = data.rows().filter(|(row, class)| tree.classify(row) == *class).count();
        prop_assert!(right >= data.counts().into_iter().max().unwrap());
    }
}
