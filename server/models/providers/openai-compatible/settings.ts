import type { ModelSettings } from "../../model.ts";

/** Which settings a model has refused; it is not told of them again. */
export type SettingRefusals = {
  /** What to say of `settings`, and what to leave out. */
  takenOf(settings: ModelSettings | undefined): ModelSettings;
  refusedOf(settings: ModelSettings | undefined): (keyof ModelSettings)[];
  /** Whether a refusal in these words was of a setting, so that asking without it, or by its new name, may help. */
  learn(says: string, settings: ModelSettings | undefined): boolean;
  /** OpenAI's newer models take the length by another name. */
  readonly wantsNewName: boolean;
};

const names = {
  temperature: /temperature/i,
  topP: /top_p/i,
  maxOutputTokens: /max_(?:completion_)?tokens/i,
} satisfies Record<keyof ModelSettings, RegExp>;

export function newSettingRefusals(): SettingRefusals {
  const refused = new Set<keyof ModelSettings>();
  let wantsNewName = false;
  const given = (settings: ModelSettings = {}) => Object.keys(settings) as (keyof ModelSettings)[];
  return {
    takenOf: (settings = {}) =>
      Object.fromEntries(
        Object.entries(settings).filter(([name]) => !refused.has(name as keyof ModelSettings)),
      ),
    refusedOf: (settings) => given(settings).filter((name) => refused.has(name)),
    learn(says, settings) {
      const named = given(settings).find((name) => !refused.has(name) && names[name].test(says));
      if (named === undefined) return false;
      if (named === "maxOutputTokens" && !wantsNewName && /max_completion_tokens/i.test(says))
        wantsNewName = true;
      else refused.add(named);
      return true;
    },
    get wantsNewName() {
      return wantsNewName;
    },
  };
}

/** A request's body with the length by its new name. */
export function withNewName({
  max_tokens: length,
  ...body
}: Record<string, unknown>): Record<string, unknown> {
  return length === undefined ? body : { ...body, max_completion_tokens: length };
}
