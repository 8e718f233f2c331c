import type { ModelInput } from "#contract/endpoints/models.ts";
import type { Clock } from "../lib/clock.ts";
import type { ReadsRule } from "../settings/kinds.ts";
import type { Connection } from "./connection.ts";
import type { ListedFacts } from "./listed-facts.ts";
import type { FilesRefusal, ModelFacts } from "./model.ts";

/** What each model of a provider can be given. */
export type WhatModelsRead = {
  /** As far as is known by now; nobody is asked. */
  known(id: string): ModelFacts;
  /** The same, once whoever knows more was asked. */
  of(id: string): Promise<ModelFacts>;
  /** The model refused these. Only what was said of the model counts, and only where it never took the like. */
  refused(id: string, refusal: FilesRefusal): void;
  /** The model took a request with these. */
  accepted(id: string, taken: { inputs: ReadonlySet<ModelInput>; pictures: number }): void;
};

/** So long a refusal is believed, for a model may be exchanged behind its name: an hour. */
const believedMs = 3_600_000;

/**
 * The operator's word goes first, then what the provider lists, then what is usual: pictures are tried, for most models
 * of today see them, and a model that refuses says so before anything else. PDFs as they are read at OpenAI alone, as far
 * as is known without being told. Sound is not tried.
 */
export function createWhatModelsRead(options: {
  rules: readonly ReadsRule[];
  usual: readonly ModelInput[];
  connection: Pick<Connection, "known">;
  clock: Pick<Clock, "now">;
  /** Asks the provider about one model, where it can be asked. */
  show?: ((id: string) => Promise<ListedFacts | undefined>) | undefined;
}): WhatModelsRead {
  const { rules, usual, connection, clock, show } = options;
  const learned = new Map<string, Learned>();
  const shown = new Map<string, ListedFacts>();

  function learnedOf(id: string): Learned {
    let of = learned.get(id);
    if (of === undefined) learned.set(id, (of = { taken: new Set(), refusedUntil: new Map() }));
    return of;
  }

  function known(id: string): ModelFacts {
    const listed = { ...connection.known(id)?.facts, ...shown.get(id) };
    const rule = rules.find((rule) => rule.matches(id));
    const reads = rule?.reads ?? listed.reads ?? usual;
    const { contextTokens } = listed;
    const { refusedUntil, most } = learnedOf(id);
    const pictures = Math.min(
      rule?.pictures ?? Infinity,
      most !== undefined && most.until > clock.now() ? most.pictures : Infinity,
    );
    return {
      reads: reads.filter((input) => (refusedUntil.get(input) ?? 0) <= clock.now()),
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(pictures === Infinity ? {} : { pictures }),
    };
  }

  return {
    known,
    async of(id) {
      if (show !== undefined && !shown.has(id)) {
        const facts = await show(id);
        if (facts !== undefined) shown.set(id, facts);
      }
      return known(id);
    },
    refused(id, refusal) {
      const of = learnedOf(id);
      const until = clock.now() + believedMs;
      if (refusal.of === "pictures") of.most = { pictures: refusal.most, until };
      else if (refusal.of === "kind" && !of.taken.has(refusal.input))
        of.refusedUntil.set(refusal.input, until);
    },
    accepted(id, { inputs, pictures }) {
      const of = learnedOf(id);
      for (const input of inputs) of.taken.add(input);
      if (of.most !== undefined && pictures > of.most.pictures) delete of.most;
    },
  };
}

type Learned = {
  taken: Set<ModelInput>;
  refusedUntil: Map<ModelInput, number>;
  most?: { pictures: number; until: number };
};
