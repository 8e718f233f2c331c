import type { ModelInput } from "#contract/endpoints/models.ts";
import { FilesRefusedError, ModelError, type ModelMessage } from "../models/model.ts";

/** What a retried request leaves out because the provider refused it before. Each run starts with no limits. */
export type RequestLimits = {
  /** Kinds of files that are left out: those of the last message, or all. */
  omittedInputs: ReadonlyMap<ModelInput, "last" | "all">;
  omitsRemoteUrls: boolean;
  picturesMax: number;
  charactersMax: number;
  /** How often pictures and text were halved. */
  halvings: number;
};

/** A conversation that is too long without its files is not retried forever. */
const halvingsMax = 3;

export const noLimits: RequestLimits = {
  omittedInputs: new Map(),
  omitsRemoteUrls: false,
  picturesMax: Infinity,
  charactersMax: Infinity,
  halvings: 0,
};

/**
 * The limits to retry a failed request with; `messages` is what was sent. `undefined`: files are not the reason, or
 * nothing more can be left out.
 */
export function tightenLimits(
  limits: RequestLimits,
  error: unknown,
  messages: readonly ModelMessage[],
): RequestLimits | undefined {
  if (error instanceof FilesRefusedError) return limitsAfterRefusal(limits, error, messages);
  if (!(error instanceof ModelError) || error.code !== "context-too-long") return undefined;
  if (limits.halvings === halvingsMax) return undefined;
  const files = filesIn(messages);
  const characters = files.reduce((sum, part) => sum + (part.type === "document" ? part.text.length : 0), 0);
  const pictures = files.filter((part) => part.type === "file" && part.mediaType.startsWith("image/")).length;
  if (characters === 0 && pictures === 0) return undefined;
  return {
    ...limits,
    charactersMax: Math.floor(characters / 2),
    picturesMax: Math.floor(pictures / 2),
    halvings: limits.halvings + 1,
  };
}

function limitsAfterRefusal(
  limits: RequestLimits,
  { refusal }: FilesRefusedError,
  messages: readonly ModelMessage[],
): RequestLimits | undefined {
  switch (refusal.of) {
    case "addresses":
      return limits.omitsRemoteUrls ? undefined : { ...limits, omitsRemoteUrls: true };
    case "pictures":
      return refusal.most < limits.picturesMax ? { ...limits, picturesMax: refusal.most } : undefined;
    case "one":
    case "kind": {
      const { input } = refusal;
      const before = limits.omittedInputs.get(input);
      if (before === "all") return undefined;
      // The provider does not name the file. Files of earlier messages were accepted before.
      const isLast = refusal.of === "one" && before === undefined && lastHas(input, messages);
      return {
        ...limits,
        omittedInputs: new Map([...limits.omittedInputs, [input, isLast ? "last" : "all"]]),
      };
    }
  }
}

function lastHas(input: ModelInput, messages: readonly ModelMessage[]): boolean {
  const last = messages.findLast(({ role }) => role === "user");
  const type = input === "pdf" ? "application/pdf" : `${input}/`;
  return filesIn(last === undefined ? [] : [last]).some(
    (part) => part.type === "file" && part.mediaType.startsWith(type),
  );
}

function filesIn(messages: readonly ModelMessage[]) {
  return messages.flatMap((message) =>
    message.role === "user" ? message.parts.filter(({ type }) => type === "file" || type === "document") : [],
  );
}
