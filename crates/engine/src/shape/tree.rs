//! A tree of boxes, to find the faces of a mesh near a place.

use riprap_solve::{Dim, Vector};

/// Boxes around boxes around faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree<D: Dim> {
    /// The root is the first; the children of a node follow it, the second after all that is below the first.
    nodes: Vec<Node<D>>,
    /// Faces in the order of the leaves.
    faces: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node<D: Dim> {
    bounds: [D::Vector; 2],
    /// The faces below it.
    start: u32,
    count: u32,
    /// The node after all that is below this one.
    next: u32,
}

/// Faces in a leaf, at most.
const LEAF: usize = 4;

impl<D: Dim> Tree<D> {
    /// A tree over boxes, each from its lowest to its highest corner.
    pub fn new(boxes: &[[D::Vector; 2]]) -> Self {
        let mut tree = Tree { nodes: Vec::new(), faces: (0..boxes.len() as u32).collect() };
        if !boxes.is_empty() {
            tree.divide(boxes, 0, boxes.len());
        }
        tree
    }

    /// Gives every face whose box meets the given one, and some beside it.
    pub fn near(&self, [low, high]: [D::Vector; 2], mut found: impl FnMut(u32)) {
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            let meets = (0..D::AXES)
                .all(|axis| node.bounds[0].get(axis) <= high.get(axis) && low.get(axis) <= node.bounds[1].get(axis));
            let is_leaf = node.next as usize == index + 1;
            if meets && is_leaf {
                self.faces[node.start as usize..][..node.count as usize].iter().for_each(|&face| found(face));
            }
            index = if meets && !is_leaf { index + 1 } else { node.next as usize };
        }
    }

    fn divide(&mut self, boxes: &[[D::Vector; 2]], start: usize, end: usize) {
        let faces = &mut self.faces[start..end];
        let around = |side: usize, pick: fn(f64, f64) -> f64| {
            let first = boxes[faces[0] as usize][side];
            let widen = |bound: D::Vector, &face: &u32| {
                D::Vector::from_fn(|axis| pick(bound.get(axis), boxes[face as usize][side].get(axis)))
            };
            faces.iter().fold(first, widen)
        };
        let bounds = [around(0, f64::min), around(1, f64::max)];
        let node = self.nodes.len();
        self.nodes.push(Node { bounds, start: start as u32, count: (end - start) as u32, next: 0 });
        if end - start > LEAF {
            // By halves along the longest side.
            let extent = bounds[1] - bounds[0];
            let longest =
                (1..D::AXES).fold(0, |best, axis| if extent.get(axis) > extent.get(best) { axis } else { best });
            let middle = |face: &u32| (boxes[*face as usize][0] + boxes[*face as usize][1]).get(longest);
            faces.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
            let half = start + (end - start) / 2;
            self.divide(boxes, start, half);
            self.divide(boxes, half, end);
        }
        self.nodes[node].next = self.nodes.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use riprap_solve::D3;

    #[test]
    fn the_tree_finds_what_trying_all_finds() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1_u64 << 31) as f64
        };
        let mut boxes = |size: f64| {
            let low = DVec3::new(random(), random(), random());
            [low, low + DVec3::new(random(), random(), random()) * size]
        };
        let all: Vec<[DVec3; 2]> = (0..500).map(|_| boxes(0.1)).collect();
        let tree = Tree::<D3>::new(&all);
        for _ in 0..100 {
            let [low, high] = boxes(0.2);
            let mut found = Vec::new();
            tree.near([low, high], |face| found.push(face));
            let meets = |&face: &u32| {
                let [l, h] = all[face as usize];
                l.cmple(high).all() && low.cmple(h).all()
            };
            assert!((0..500).filter(meets).all(|face| found.contains(&face)));
            assert!(found.len() < 100);
        }
        Tree::<D3>::new(&[]).near([DVec3::ZERO; 2], |_| unreachable!());
    }
}
