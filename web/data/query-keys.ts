import type { ListChange } from "#contract/changes.ts";

/** The key of a list that the feed reports as changed: `["prompts"]` for `prompts-put`. */
export function listKey(change: ListChange): readonly string[] {
  return [change.slice(0, -"-put".length)];
}

/** The keys of the queries that other queries or the feed refresh. */
export const assistantsKey = ["assistants"] as const;
export const assistantKey = (id: string) => ["assistant", id] as const;
export const filesKey = ["files"] as const;
/** The prefix of the versions of messages that were read. */
export const versionsKey = (threadId: string) => ["versions", threadId] as const;
/** The prefix of all searches. */
export const searchKey = ["search"] as const;
export const modelsKey = ["models"] as const;
export const usageKey = ["usage"] as const;
export const signInSettingsKey = ["people", "settings"] as const;
export const budgetKey = ["budget"] as const;
export const modelSettingsKey = ["model-settings"] as const;
export const providersKey = ["providers"] as const;
export const suggestionsKey = ["provider-suggestions"] as const;
