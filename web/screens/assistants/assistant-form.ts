import type {
  Assistant,
  AssistantCreate,
  AssistantParameters,
  AssistantSettings,
} from "#contract/endpoints/assistants.ts";
import type { ReasoningEffort } from "#contract/endpoints/models.ts";
import { isOneCharacter, type AvatarColour } from "#contract/avatars.ts";
import { formFields } from "#contract/form-fields.ts";
import { parseJson } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { areProviderOptions, providerKindIds, type ProviderOptions } from "#contract/provider-kinds.ts";
import { t } from "#web/i18n/translate.ts";
import { mistakesByRules } from "../form/mistakes-by-rules.ts";
import { numberOf, numberText } from "../form/numbers.ts";

/** The values of the form, valid or not. */
export type AssistantForm = {
  name: string;
  avatarText: string;
  colour: AvatarColour;
  instructions: string;
  /** Empty: the server's default. */
  model: string;
  /** `undefined`: all tools. */
  tools: string[] | undefined;
  /** Always the maximum number of entries. */
  starters: string[];
  temperature: string;
  topP: string;
  maxOutputTokens: string;
  seed: string;
  /** Separated by commas. */
  stop: string;
  /** Empty: the model's default. */
  effort: ReasoningEffort | "";
  /** Empty: none. */
  fallbackModel: string;
  /** JSON text. Empty: none. */
  providerOptions: string;
  /** Whether only models in the server's own network may answer. */
  localOnly: boolean;
};

export type FormField = keyof AssistantForm | `starter${number}`;

/** The validation message of each field. */
export type Mistakes = Partial<Record<FormField, string>>;

export const emptyAssistantForm: AssistantForm = {
  name: "",
  avatarText: "",
  colour: "blue",
  instructions: "",
  model: "",
  tools: undefined,
  starters: startersOf([]),
  temperature: "",
  topP: "",
  maxOutputTokens: "",
  seed: "",
  stop: "",
  effort: "",
  fallbackModel: "",
  providerOptions: "",
  localOnly: false,
};

export function assistantFormOf(
  assistant: Assistant,
  { instructions, tools, parameters }: AssistantSettings,
): AssistantForm {
  return {
    name: assistant.name,
    avatarText: assistant.avatar.text,
    colour: assistant.avatar.colour,
    instructions,
    model: assistant.model ?? "",
    tools: tools ?? undefined,
    starters: startersOf(assistant.starters),
    temperature: numberText(parameters.temperature),
    topP: numberText(parameters.top_p),
    maxOutputTokens: numberText(parameters.max_output_tokens),
    seed: numberText(parameters.seed),
    stop: (parameters.stop ?? []).join(", "),
    effort: parameters.reasoning_effort ?? "",
    fallbackModel: parameters.fallback_model ?? "",
    providerOptions:
      parameters.provider_options === undefined ? "" : JSON.stringify(parameters.provider_options, null, 2),
    localOnly: parameters.local_only === true,
  };
}

/** The request body for a valid form. */
export function assistantBodyOf(form: AssistantForm): AssistantCreate {
  return {
    name: form.name.trim(),
    avatar: { text: avatarTextOf(form), colour: form.colour },
    instructions: form.instructions,
    model: form.model === "" ? null : form.model,
    tools: form.tools ?? null,
    starters: form.starters.map((text) => text.trim()).filter((text) => text !== ""),
    parameters: parametersOf(form),
  };
}

/** The letter or emoji of the avatar. The default is the first letter of the name. */
export function avatarTextOf({ avatarText, name }: AssistantForm): string {
  const typed = avatarText.trim();
  if (typed !== "") return typed;
  const first = [...new Intl.Segmenter().segment(name.trim())][0]?.segment.toLocaleUpperCase() ?? "";
  return isOneCharacter(first) ? first : "A";
}

const rules = formFields["assistants.create"];
const { temperature, top_p: topP, max_output_tokens: maxOutputTokens, seed } = rules.parameters.fields;

export function assistantMistakesOf(form: AssistantForm): Mistakes {
  const mistakes: Mistakes = mistakesByRules(form, {
    name: { ...rules.name, missing: t("assistant.nameMissing") },
    instructions: rules.instructions,
    temperature,
    topP,
    maxOutputTokens,
    seed: { ...seed, min: 1 },
  });
  const note = (field: FormField, mistake: string | undefined) => {
    if (mistake !== undefined) mistakes[field] = mistake;
  };
  note("avatarText", isOneCharacter(avatarTextOf(form)) ? undefined : t("assistant.avatarWrong"));
  for (const [index, text] of form.starters.entries())
    note(`starter${index}`, tooLongMessage(text, limits.starterCharacters));
  const stops = stopsOf(form);
  note(
    "stop",
    stops.length > 4 || stops.some(({ length }) => length > 100) ? t("assistant.stopWrong") : undefined,
  );
  const options = form.providerOptions.trim();
  note(
    "providerOptions",
    options === "" || areProviderOptions(parseJson(options))
      ? undefined
      : t("assistant.providerOptionsWrong", { kinds: providerKindIds.join(", ") }),
  );
  return mistakes;
}

function parametersOf(form: AssistantForm): AssistantParameters {
  const temperature = numberOf(form.temperature);
  const topP = numberOf(form.topP);
  const maxOutputTokens = numberOf(form.maxOutputTokens);
  const seed = numberOf(form.seed);
  const stop = stopsOf(form);
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(form.effort === "" ? {} : { reasoning_effort: form.effort }),
    ...(form.fallbackModel === "" ? {} : { fallback_model: form.fallbackModel }),
    ...(form.localOnly ? { local_only: true } : {}),
    ...(form.providerOptions.trim() === ""
      ? {}
      : { provider_options: parseJson(form.providerOptions) as ProviderOptions }),
  };
}

function stopsOf({ stop }: AssistantForm): string[] {
  return stop
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

function startersOf(starters: string[]): string[] {
  return Array.from({ length: limits.startersMax }, (_, index) => starters[index] ?? "");
}

function tooLongMessage(text: string, max: number): string | undefined {
  return text.length > max ? t("assistant.tooLong", { max, count: text.length }) : undefined;
}
