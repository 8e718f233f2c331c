/**
 * The tree of messages, as far as a reader needs it: messages know their parents, and a branch is the way from one of
 * them up to its root.
 */
export type TreeNode = { id: string; parentId: string | null };

/** The branch that ends in `headId`, from the top down; stops where a parent is not at hand. */
export function branchOf<Node extends TreeNode>(nodes: ReadonlyMap<string, Node>, headId: string | undefined): Node[] {
  const branch: Node[] = [];
  let next = headId === undefined ? undefined : nodes.get(headId);
  while (next !== undefined) {
    branch.push(next);
    next = next.parentId === null ? undefined : nodes.get(next.parentId);
  }
  return branch.reverse();
}
