import type { ModelInput, ReasoningEffort } from "#contract/endpoints/models.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { ModelInputRule } from "#server/settings/setting-types.ts";
import type { FilesRefusal, ModelFacts } from "../../model.ts";
import type { RequestFiles } from "../requests/refusals/file-refusals.ts";
import type { ListedFacts } from "./listed-facts.ts";
import type { ListedModel } from "./parse-model-list.ts";

/** Refusals expire after an hour, because the operator may replace a model under the same name. */
const refusalTtlMs = 3_600_000;

/** All models that have efforts have these. */
const usualEfforts: readonly ReasoningEffort[] = ["low", "medium", "high"];

/**
 * Combines, in this order, what administrators entered, the operator's rules, the provider's list and `usualInputs`. Most
 * current models read pictures, and the others refuse them before the answer starts. PDFs are tried only at OpenAI, and
 * audio nowhere, unless a rule or the list has them among the model's inputs.
 */
export function createModelFacts(options: {
  rules: readonly ModelInputRule[];
  /** Whether the model's reasoning effort can be set, by its id. */
  hasEfforts?: ((id: string) => boolean) | undefined;
  /** What administrators entered about a model. Overrides the other sources. */
  given?: ((id: string) => ListedFacts) | undefined;
  /** The facts in the catalogue, for those that the list lacks. */
  catalogued?: (id: string) => ListedFacts;
  usualInputs: readonly ModelInput[];
  list: { find(id: string): Pick<ListedModel, "facts"> | undefined };
  clock: Pick<Clock, "now">;
  loadFacts?: ((id: string) => Promise<ListedFacts | undefined>) | undefined;
}) {
  const { rules, usualInputs, list, clock, loadFacts, hasEfforts, catalogued, given } = options;
  const experience = new Map<string, Experience>();
  const loaded = new Map<string, ListedFacts>();
  const inCatalogue = new Map<string, ListedFacts>();

  function findInCatalogue(id: string): ListedFacts {
    let facts = inCatalogue.get(id);
    if (facts === undefined) inCatalogue.set(id, (facts = catalogued?.(id) ?? {}));
    return facts;
  }

  function experienceWith(id: string): Experience {
    let entry = experience.get(id);
    if (entry === undefined) experience.set(id, (entry = { accepted: new Set(), refusedUntilMs: new Map() }));
    return entry;
  }

  function known(id: string): ModelFacts {
    const own = given?.(id) ?? {};
    const listed = { ...findInCatalogue(id), ...list.find(id)?.facts, ...loaded.get(id), ...own };
    const rule = rules.find((rule) => rule.matches(id));
    const reads = own.reads ?? rule?.reads ?? listed.reads ?? usualInputs;
    const { tools, contextTokens, outputTokens, prices, prefill } = listed;
    const efforts = listed.efforts ?? (hasEfforts?.(id) === true ? usualEfforts : undefined);
    const { refusedUntilMs, pictureLimit } = experienceWith(id);
    const pictures = Math.min(
      rule?.pictures ?? Infinity,
      pictureLimit !== undefined && pictureLimit.untilMs > clock.now() ? pictureLimit.pictures : Infinity,
    );
    return {
      reads: reads.filter((input) => (refusedUntilMs.get(input) ?? 0) <= clock.now()),
      ...(tools === undefined ? {} : { tools }),
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(outputTokens === undefined ? {} : { outputTokens }),
      ...(pictures === Infinity ? {} : { pictures }),
      ...(efforts === undefined ? {} : { efforts }),
      ...(prices === undefined ? {} : { prices }),
      ...(listed.isRelayed === true ? { isRelayed: true } : {}),
      ...(prefill === undefined ? {} : { prefill }),
    };
  }

  return {
    /** The facts as known now; sends no request. */
    known,
    /** The facts, after the provider was asked about this model if possible. */
    async load(id: string): Promise<ModelFacts> {
      if (loadFacts !== undefined && !loaded.has(id)) {
        const facts = await loadFacts(id);
        if (facts !== undefined) loaded.set(id, facts);
      }
      return known(id);
    },
    /** Records that the model refused files. A kind that it accepted before stays accepted. */
    recordRefusal(id: string, refusal: FilesRefusal): void {
      const entry = experienceWith(id);
      const untilMs = clock.now() + refusalTtlMs;
      if (refusal.of === "pictures") entry.pictureLimit = { pictures: refusal.most, untilMs };
      else if (refusal.of === "kind" && !entry.accepted.has(refusal.input))
        entry.refusedUntilMs.set(refusal.input, untilMs);
    },
    recordAccepted(id: string, { inputs, pictures }: Pick<RequestFiles, "inputs" | "pictures">): void {
      const entry = experienceWith(id);
      for (const input of inputs) entry.accepted.add(input);
      if (entry.pictureLimit !== undefined && pictures > entry.pictureLimit.pictures)
        delete entry.pictureLimit;
    },
  };
}

/** What the requests so far showed about a model. */
type Experience = {
  accepted: Set<ModelInput>;
  refusedUntilMs: Map<ModelInput, number>;
  pictureLimit?: { pictures: number; untilMs: number };
};
