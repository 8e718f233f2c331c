import type { ModelInput } from "#contract/models.ts";
import type { ReadsRule } from "../settings-kinds.ts";
import type { Connection } from "./connection.ts";
import type { ListedFacts } from "./listed-facts.ts";
import type { ModelFacts } from "./model.ts";

/** What each model of a provider can be given. */
export type WhatModelsRead = {
  /** As far as is known by now; nobody is asked. */
  known(id: string): ModelFacts;
  /** The same, once whoever knows more was asked. */
  of(id: string): Promise<ModelFacts>;
  /** The model refused this kind of file: it is not given any more. */
  refused(id: string, input: ModelInput): void;
};

/**
 * The operator's word goes first, then what the provider lists, then what is usual: pictures are tried, for most models
 * of today see them, and a model that refuses says so before anything else. PDFs as they are read at OpenAI alone, as far
 * as is known without being told. Sound is not tried.
 */
export function createWhatModelsRead(options: {
  rules: readonly ReadsRule[];
  usual: readonly ModelInput[];
  connection: Pick<Connection, "known">;
  /** Asks the provider about one model, where it can be asked. */
  show?: ((id: string) => Promise<ListedFacts | undefined>) | undefined;
}): WhatModelsRead {
  const { rules, usual, connection, show } = options;
  const refusals = new Map<string, Set<ModelInput>>();
  const shown = new Map<string, ListedFacts>();

  function known(id: string): ModelFacts {
    const listed = { ...connection.known(id)?.facts, ...shown.get(id) };
    const reads = rules.find((rule) => rule.matches(id))?.reads ?? listed.reads ?? usual;
    const { contextTokens } = listed;
    return {
      reads: reads.filter((input) => refusals.get(id)?.has(input) !== true),
      ...(contextTokens === undefined ? {} : { contextTokens }),
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
    refused(id, input) {
      const before = refusals.get(id) ?? new Set();
      refusals.set(id, before.add(input));
    },
  };
}
