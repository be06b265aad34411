//! Which particle sees which node: the transfers of a step as a sparse matrix, kept while a system is solved.

use crate::grain::Grain;
use crate::kernel::shift;
use crate::layout::{Place, block_edge, block_size};
use crate::scalar::{Quad, Scalar};
use crate::transfer::{EXTRA, Mesh, Node};
use pliant_math::{Mat, Vect, parallel};

/// The nodes that hold mass, species by species.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes<const D: usize> {
    /// Where each is among all nodes of the grid.
    pub places: Vec<u32>,
    /// Mass [kg].
    pub mass: Vec<f64>,
    /// Velocity before forces [m/s].
    pub velocity: Vec<Vect<D>>,
    /// For every node of the grid its number here.
    number: Vec<u32>,
}

/// Not a node with mass.
const NONE: u32 = u32::MAX;

impl<const D: usize> Nodes<D> {
    pub fn of<T: Scalar>(grid: &[Node<T>]) -> Self {
        let mut nodes = Self { number: vec![NONE; grid.len()], ..Self::default() };
        for (place, node) in grid.iter().enumerate() {
            let value = node.array();
            let mass = value[EXTRA].wide();
            if mass > 0.0 {
                nodes.number[place] = nodes.places.len() as u32;
                nodes.places.push(place as u32);
                nodes.mass.push(mass);
                nodes.velocity.push(Vect::from_fn(|axis, _| value[axis].wide() / mass));
            }
        }
        nodes
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }
}

/// Where nodes are, for finding those of a particle.
pub(super) struct Site<'a, const D: usize> {
    pub mesh: &'a Mesh,
    /// Blocks of nodes, in order.
    pub blocks: &'a [Place<D>],
    pub species: usize,
    /// Whether slopes are those of the spline.
    pub by_kernel: bool,
}

/// One node as a particle sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<const D: usize> {
    pub node: u32,
    pub weight: f64,
    /// `∂w/∂x`, or `w 4/h² (x_i − x_p)` of moving least squares [1/m].
    pub slope: Vect<D>,
}

impl<const D: usize> Site<'_, D> {
    /// Calls `visit` for all nodes that a particle sees.
    pub fn visit<T: Scalar, const W: usize>(
        &self,
        grain: &Grain<T, D>,
        nodes: &Nodes<D>,
        mut visit: impl FnMut(Link<D>),
    ) {
        let h = self.mesh.spacing;
        let first: [f64; D] = std::array::from_fn(|axis| (grain.position[axis] / h - shift::<W>()).floor());
        let within: [f64; D] = std::array::from_fn(|axis| grain.position[axis] / h - first[axis]);
        let w: [[f64; W]; D] = std::array::from_fn(|axis| self.mesh.weights(axis, within[axis]));
        let g: [[f64; W]; D] = std::array::from_fn(|axis| self.mesh.slopes(axis, within[axis]));
        let mut found = None;
        for number in 0..W.pow(D as u32) {
            let mut rest = number;
            let mut at = [0; D];
            for axis in (0..D).rev() {
                at[axis] = rest % W;
                rest /= W;
            }
            let weight: f64 = (0..D).map(|axis| w[axis][at[axis]]).product();
            let slope = Vect::from_fn(|along, _| {
                if self.by_kernel {
                    let factor =
                        |axis: usize| if axis == along { g[axis][at[axis]] } else { w[axis][at[axis]] };
                    (0..D).map(factor).product::<f64>() / h
                } else {
                    weight * self.mesh.inverse_dispersion::<W>(along) / h * (at[along] as f64 - within[along])
                }
            });
            let node = self.node(&first, &at, usize::from(grain.species), &mut found);
            match node.map(|place| nodes.number[place]) {
                Some(node) if node != NONE => visit(Link { node, weight, slope }),
                // Too far out to have got any mass.
                _ => {}
            }
        }
    }

    /// The place of a node among all of the grid; the block found last is likely that of the next one.
    fn node(
        &self,
        first: &[f64; D],
        at: &[usize; D],
        species: usize,
        found: &mut Option<(Place<D>, usize)>,
    ) -> Option<usize> {
        let edge = block_edge(D) as i32;
        let node: [i32; D] = std::array::from_fn(|axis| first[axis] as i32 + at[axis] as i32);
        let place = Place(node.map(|n| n.div_euclid(edge)));
        let block = match found {
            Some((last, block)) if *last == place => *block,
            _ => self.blocks.binary_search(&place).ok()?,
        };
        *found = Some((place, block));
        let local = node.iter().fold(0, |local, n| local * edge as usize + n.rem_euclid(edge) as usize);
        Some((block * self.species + species) * block_size(D) + local)
    }
}

/// All links, by particle and by node.
#[derive(Clone, Debug, Default)]
pub(super) struct Web<const D: usize> {
    /// The links of each particle end here.
    ends: Vec<u32>,
    links: Vec<(u32, Vect<D>)>,
    /// The links of each node end here.
    node_ends: Vec<u32>,
    /// Particle and link, by node.
    back: Vec<(u32, u32)>,
}

impl<const D: usize> Web<D> {
    pub fn of<T: Scalar, const W: usize>(
        site: &Site<'_, D>,
        grains: &[Grain<T, D>],
        nodes: &Nodes<D>,
    ) -> Self {
        let mut each = vec![Vec::new(); grains.len()];
        parallel::fill(&mut each, |p| {
            let mut links = Vec::with_capacity(W.pow(D as u32));
            site.visit::<T, W>(&grains[p], nodes, |link| links.push((link.node, link.slope)));
            links
        });
        let mut web = Self::default();
        for links in each {
            web.links.extend(links);
            web.ends.push(web.links.len() as u32);
        }
        web.turn_round(nodes.len());
        web
    }

    /// Lists the links by node, in the order of the particles.
    fn turn_round(&mut self, nodes: usize) {
        let mut starts = vec![0u32; nodes + 1];
        for (node, _) in &self.links {
            starts[*node as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        self.node_ends = starts[1..].to_vec();
        self.back = vec![(0, 0); self.links.len()];
        let mut start = 0;
        for (particle, &end) in self.ends.iter().enumerate() {
            for link in start..end {
                let next = &mut starts[self.links[link as usize].0 as usize];
                self.back[*next as usize] = (particle as u32, link);
                *next += 1;
            }
            start = end;
        }
    }

    /// `Σ v_i ⊗ slope`: the gradient that a particle sees.
    #[inline]
    pub fn gradient(&self, particle: usize, velocity: &[Vect<D>]) -> Mat<D> {
        let start = if particle == 0 { 0 } else { self.ends[particle - 1] };
        let mut gradient = Mat::zeros();
        for (node, slope) in &self.links[start as usize..self.ends[particle] as usize] {
            gradient += velocity[*node as usize] * slope.transpose();
        }
        gradient
    }

    /// `Σ S_p slope`: what the stresses of the particles do to a node.
    #[inline]
    pub fn force(&self, node: usize, stress: &[Mat<D>]) -> Vect<D> {
        let start = if node == 0 { 0 } else { self.node_ends[node - 1] };
        let back = &self.back[start as usize..self.node_ends[node] as usize];
        back.iter().fold(Vect::zeros(), |sum, (particle, link)| {
            sum + stress[*particle as usize] * self.links[*link as usize].1
        })
    }
}
