"""Public data sets, folds of them, and what scikit-learn makes of those, as one JSON object."""
import json
import sys

import numpy
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeClassifier

SEEDS = range(int(sys.argv[1]))


def tree(rows, classes, train, test, seed):
    learned = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed)
    return learned.fit(rows[train], classes[train]).predict(rows[test])


def bayes(rows, classes, train, test):
    return GaussianNB(var_smoothing=0.0).fit(rows[train], classes[train]).predict(rows[test])


def neighbours(rows, classes, train, test, count):
    """Like the others, but -1 where two rows are equally near and either may vote."""
    scaler = MinMaxScaler().fit(rows[train])
    train_rows, test_rows = scaler.transform(rows[train]), scaler.transform(rows[test])
    learned = KNeighborsClassifier(count, algorithm="brute").fit(train_rows, classes[train])
    distances, _ = learned.kneighbors(test_rows, count + 1)
    tied = distances[:, count] - distances[:, count - 1] < 1e-9
    return numpy.where(tied, -1, learned.predict(test_rows))


def judged(load):
    rows, classes = load(return_X_y=True)
    kinds = {"bayes": [], "neighbours_1": [], "neighbours_2": []}
    folds, tree_errors = [], []
    for seed in SEEDS:
        fold, said = numpy.zeros(len(rows), int), {kind: numpy.zeros(len(rows), int) for kind in [*kinds, "tree"]}
        for number, (train, test) in enumerate(StratifiedKFold(10, shuffle=True, random_state=seed).split(rows, classes)):
            fold[test] = number
            said["tree"][test] = tree(rows, classes, train, test, seed)
            said["bayes"][test] = bayes(rows, classes, train, test)
            said["neighbours_1"][test] = neighbours(rows, classes, train, test, 1)
            said["neighbours_2"][test] = neighbours(rows, classes, train, test, 2)
        folds.append(fold.tolist())
        tree_errors.append(int((said["tree"] != classes).sum()))
        for kind in kinds:
            kinds[kind].append(said[kind].tolist())
    return {"rows": rows.tolist(), "classes": classes.tolist(), "folds": folds, "tree_errors": tree_errors, **kinds}


loaders = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
print(json.dumps({name: judged(load) for name, load in loaders.items()}))
