/** The prefix of all search queries. */
export const searchKey = ["search"] as const;
