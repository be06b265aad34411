//! A hierarchy of boxes that finds what a ray meets without asking every sphere or triangle.

use crate::ray::{Box3, Ray, V3};

const BIN_COUNT: usize = 12;
const LEAF_SIZE: usize = 3;
/// Deep enough for any tree: equal centres are split in halves, so depth stays near `log2` of the count.
const STACK_SIZE: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Box3,
    /// First item of a leaf, or the left child (the right one follows it).
    start: u32,
    /// Items of a leaf; zero for an inner node.
    count: u32,
}

/// Boxes over items `0..n`; `order` says which item sits at each place, so owners can store items in tree order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    pub order: Vec<u32>,
}

impl Bvh {
    /// Builds the tree by the surface area heuristic over a fixed number of bins: the same boxes give the same tree.
    pub fn build(boxes: &[Box3]) -> Self {
        let count = u32::try_from(boxes.len()).expect("snapshots count particles in 32 bits");
        let mut tree = Self { nodes: Vec::new(), order: (0..count).collect() };
        if count == 0 {
            return tree;
        }
        let centres: Vec<V3> = boxes.iter().map(Box3::centre).collect();
        tree.nodes.reserve(2 * boxes.len());
        tree.nodes.push(Node { bounds: Box3::EMPTY, start: 0, count });
        let mut pending = vec![0_usize];
        while let Some(index) = pending.pop() {
            let Node { start, count, .. } = tree.nodes[index];
            let range = start as usize..(start + count) as usize;
            tree.nodes[index].bounds = surround(boxes, &tree.order[range.clone()]);
            if range.len() <= LEAF_SIZE {
                continue;
            }
            let left_count = split(boxes, &centres, &mut tree.order[range]);
            let left = u32::try_from(tree.nodes.len()).expect("a tree has fewer than 2n nodes");
            tree.nodes.push(Node { bounds: Box3::EMPTY, start, count: left_count });
            let right = Node { bounds: Box3::EMPTY, start: start + left_count, count: count - left_count };
            tree.nodes.push(right);
            tree.nodes[index] = Node { start: left, count: 0, ..tree.nodes[index] };
            pending.extend([left as usize + 1, left as usize]);
        }
        tree
    }

    /// Box around everything.
    pub fn bounds(&self) -> Box3 {
        self.nodes.first().map_or(Box3::EMPTY, |root| root.bounds)
    }

    /// The nearest hit before `limit`: place in tree order and distance. `hit` answers the distance to the item
    /// at a place if the ray meets it nearer than the given limit.
    #[inline]
    pub fn nearest(
        &self,
        ray: &Ray,
        limit: f32,
        hit: impl Fn(usize, f32) -> Option<f32>,
    ) -> Option<(usize, f32)> {
        let mut best = None;
        let mut limit = limit;
        self.walk(ray, limit, |place, _| {
            if let Some(distance) = hit(place, limit) {
                limit = distance;
                best = Some((place, distance));
            }
            limit
        });
        best
    }

    /// Whether `hit` accepts any item the ray meets before `limit`.
    #[inline]
    pub fn any(&self, ray: &Ray, limit: f32, hit: impl Fn(usize) -> bool) -> bool {
        let mut found = false;
        self.walk(ray, limit, |place, limit| {
            found = found || hit(place);
            if found { -1.0 } else { limit }
        });
        found
    }

    /// Visits items near to far; `visit` returns the distance beyond which nothing matters any more.
    #[inline]
    fn walk(&self, ray: &Ray, mut limit: f32, mut visit: impl FnMut(usize, f32) -> f32) {
        let Some(root) = self.nodes.first() else { return };
        if root.bounds.span(ray, limit).is_none() {
            return;
        }
        let mut stack = [(0_u32, 0.0_f32); STACK_SIZE];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (index, entry) = stack[depth];
            if entry > limit {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for place in node.start..node.start + node.count {
                    limit = visit(place as usize, limit);
                }
                continue;
            }
            let left = self.nodes[node.start as usize].bounds.span(ray, limit).map(|(near, _)| near);
            let right = self.nodes[node.start as usize + 1].bounds.span(ray, limit).map(|(near, _)| near);
            let (a, b) = ((node.start, left), (node.start + 1, right));
            let left_is_nearer = left.unwrap_or(f32::MAX) <= right.unwrap_or(f32::MAX);
            for (child, entry) in if left_is_nearer { [b, a] } else { [a, b] } {
                if let Some(entry) = entry {
                    stack[depth] = (child, entry);
                    depth += 1;
                }
            }
        }
    }
}

fn surround(boxes: &[Box3], items: &[u32]) -> Box3 {
    items.iter().fold(Box3::EMPTY, |all, &item| all.union(&boxes[item as usize]))
}

/// Reorders the items into a left and a right part and returns the left one's size, never all or nothing.
fn split(boxes: &[Box3], centres: &[V3], items: &mut [u32]) -> u32 {
    let mut spread = Box3::EMPTY;
    items.iter().for_each(|&item| spread.grow(&centres[item as usize]));
    let size = spread.max - spread.min;
    let axis = size.imax();
    let half = items.len() / 2;
    let scale = BIN_COUNT as f32 / size[axis];
    let bin_of = |item: u32| {
        let bin = (centres[item as usize][axis] - spread.min[axis]) * scale;
        (bin as usize).min(BIN_COUNT - 1)
    };
    let middle = if scale.is_finite() { cheapest_cut(boxes, items, bin_of) } else { None };
    let left_count = match middle {
        Some(cut) => partition(items, |item| bin_of(item) < cut),
        None => {
            // All centres in one place: order does not matter, halves keep the tree shallow.
            items.sort_unstable();
            half
        }
    };
    u32::try_from(left_count).expect("a part of a 32-bit count")
}

/// The bin before which to cut so that the expected cost of a ray is least.
fn cheapest_cut(boxes: &[Box3], items: &[u32], bin_of: impl Fn(u32) -> usize) -> Option<usize> {
    let mut bins = [(Box3::EMPTY, 0_usize); BIN_COUNT];
    for &item in items {
        let bin = &mut bins[bin_of(item)];
        *bin = (bin.0.union(&boxes[item as usize]), bin.1 + 1);
    }
    let join = |a: (Box3, usize), b: &(Box3, usize)| (a.0.union(&b.0), a.1 + b.1);
    let cost = |part: (Box3, usize)| part.0.half_area() * part.1 as f32;
    (1..BIN_COUNT)
        .map(|cut| {
            let (left, right) = bins.split_at(cut);
            let empty = (Box3::EMPTY, 0);
            (cut, left.iter().fold(empty, join), right.iter().fold(empty, join))
        })
        .filter(|(_, left, right)| left.1 > 0 && right.1 > 0)
        .map(|(cut, left, right)| (cut, cost(left) + cost(right)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(cut, _)| cut)
}

/// Moves the items that satisfy `is_left` to the front, keeping their order, and counts them.
fn partition(items: &mut [u32], is_left: impl Fn(u32) -> bool) -> usize {
    let (left, right): (Vec<u32>, Vec<u32>) = items.iter().partition(|&&item| is_left(item));
    items[..left.len()].copy_from_slice(&left);
    items[left.len()..].copy_from_slice(&right);
    left.len()
}

#[cfg(test)]
mod tests {
    use super::{Box3, Bvh, Ray, V3};

    /// A small generator of repeatable numbers in `0..1`.
    fn numbers(mut state: u64) -> impl FnMut() -> f32 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u64 << 24) as f32
        }
    }

    fn sphere_distance(ray: &Ray, centre: V3, radius: f32) -> Option<f32> {
        crate::spheres::intersect(ray, centre, radius, f32::MAX)
    }

    #[test]
    fn nearest_hit_equals_brute_force() {
        let mut number = numbers(7);
        let centres: Vec<V3> = (0..700).map(|_| V3::from_fn(|_, _| number())).collect();
        let boxes: Vec<Box3> = centres.iter().map(|c| Box3::around_ball(*c, 0.02)).collect();
        let tree = Bvh::build(&boxes);
        for _ in 0..2000 {
            let origin = V3::from_fn(|_, _| 4.0 * number() - 2.0);
            let target = V3::from_fn(|_, _| number());
            let ray = Ray::new(origin, (target - origin).normalize());
            let expected =
                centres.iter().filter_map(|c| sphere_distance(&ray, *c, 0.02)).min_by(f32::total_cmp);
            let found = tree.nearest(&ray, f32::MAX, |place, limit| {
                sphere_distance(&ray, centres[tree.order[place] as usize], 0.02).filter(|d| *d < limit)
            });
            assert_eq!(found.map(|(_, distance)| distance), expected);
            let blocked = tree.any(&ray, f32::MAX, |place| {
                sphere_distance(&ray, centres[tree.order[place] as usize], 0.02).is_some()
            });
            assert_eq!(blocked, expected.is_some());
        }
    }

    #[test]
    fn a_thousand_items_in_one_place_still_make_a_shallow_tree() {
        let tree = Bvh::build(&[Box3::around_ball(V3::zeros(), 1.0); 1000]);
        let ray = Ray::new(V3::new(0.0, 0.0, 5.0), V3::new(0.0, 0.0, -1.0));
        assert!(tree.nearest(&ray, f32::MAX, |_, limit| (limit > 4.0).then_some(4.0)).is_some());
    }

    #[test]
    fn nothing_is_met_in_an_empty_tree() {
        let ray = Ray::new(V3::zeros(), V3::new(1.0, 0.0, 0.0));
        assert!(!Bvh::build(&[]).any(&ray, f32::MAX, |_| true));
    }
}
