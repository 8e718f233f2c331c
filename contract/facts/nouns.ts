import { alerts } from "../alerts/alerts.ts";
import { backups } from "../backups/backups.ts";
import { labels } from "../labels/labels.ts";
import type { NounFacts } from "./noun-facts.ts";
import { prompts } from "../prompts/prompts.ts";
import { retention } from "../retention/retention.ts";
import { toolRules } from "../tools/tool-rules.ts";
import { toolServers } from "../tool-servers/tool-servers.ts";
import { webSearch } from "../web-search/web-search.ts";
import { webhooks } from "../webhooks/webhooks.ts";

/** The nouns that have a file of their facts, in the order of the API reference. */
export const nouns = [
  labels,
  prompts,
  toolServers,
  retention,
  toolRules,
  webhooks,
  alerts,
  webSearch,
  backups,
] as const satisfies readonly NounFacts[];

type Kind = keyof NounFacts;

/** The facts of this kind, of each noun. */
export type FactsOf<K extends Kind> = (typeof nouns)[number][K];

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** The facts of this kind, of all nouns together. */
export function factsOfAll<K extends "chapters" | "ids" | "limits">(kind: K): Intersection<FactsOf<K>> {
  return Object.assign({}, ...nouns.map((noun) => noun[kind])) as Intersection<FactsOf<K>>;
}
