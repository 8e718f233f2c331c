/** Everything that was searched for. */
export const searchKey = ["search"] as const;
