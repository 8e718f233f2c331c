import type { ModelSettings } from "../../../model.ts";

/** Records which settings a model refused, so that later requests leave them out. */
export type SettingRefusals = {
  /** The settings to send. */
  accepted(settings: ModelSettings | undefined): ModelSettings;
  /** The settings to leave out. */
  refused(settings: ModelSettings | undefined): (keyof ModelSettings)[];
  /** Whether the message is about one of these settings. If so, a retry without it, or with its new name, may succeed. */
  learn(message: string, settings: ModelSettings | undefined): boolean;
  /** Whether the model takes `max_completion_tokens`, as OpenAI's newer models do, and not `max_tokens`. */
  readonly useNewLengthName: boolean;
};

const names = {
  temperature: /temperature/i,
  topP: /top_?p/i,
  seed: /\bseed\b/i,
  stopSequences: /\bstop\b|stop_?sequences/i,
  reasoning: /reasoning|thinking|effort/i,
  maxOutputTokens: /max_?(?:completion_?|output_?)?tokens/i,
} satisfies Record<keyof ModelSettings, RegExp>;

export function createSettingRefusals(): SettingRefusals {
  const refused = new Set<keyof ModelSettings>();
  let useNewLengthName = false;
  const namesIn = (settings: ModelSettings = {}) => Object.keys(settings) as (keyof ModelSettings)[];
  return {
    accepted: (settings = {}) =>
      Object.fromEntries(
        Object.entries(settings).filter(([name]) => !refused.has(name as keyof ModelSettings)),
      ),
    refused: (settings) => namesIn(settings).filter((name) => refused.has(name)),
    learn(message, settings) {
      const named = namesIn(settings).find((name) => !refused.has(name) && names[name].test(message));
      if (named === undefined) return false;
      if (named === "maxOutputTokens" && !useNewLengthName && /max_completion_tokens/i.test(message))
        useNewLengthName = true;
      else refused.add(named);
      return true;
    },
    get useNewLengthName() {
      return useNewLengthName;
    },
  };
}
