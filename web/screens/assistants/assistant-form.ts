import type {
  Assistant,
  AssistantCreate,
  AssistantParameters,
  AssistantSettings,
} from "#contract/endpoints/assistants.ts";
import type { ReasoningEffort } from "#contract/endpoints/models.ts";
import { isOneCharacter, type AvatarColour } from "#contract/avatars.ts";
import { parseJson } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { areProviderOptions, providerKindIds, type ProviderOptions } from "#contract/provider-kinds.ts";
import { t } from "#web/i18n/translate.ts";
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

export function assistantMistakesOf(form: AssistantForm): Mistakes {
  const mistakes: Mistakes = {};
  const note = (field: FormField, mistake: string | undefined) => {
    if (mistake !== undefined) mistakes[field] = mistake;
  };
  note(
    "name",
    form.name.trim() === ""
      ? t("assistant.nameMissing")
      : tooLongMessage(form.name, limits.assistantNameCharacters),
  );
  note("avatarText", isOneCharacter(avatarTextOf(form)) ? undefined : t("assistant.avatarWrong"));
  note("instructions", tooLongMessage(form.instructions, limits.instructionsCharacters));
  for (const [index, text] of form.starters.entries())
    note(`starter${index}`, tooLongMessage(text, limits.starterCharacters));
  note("temperature", outside(form.temperature, 0, 2));
  note("topP", outside(form.topP, 0, 1));
  note("maxOutputTokens", noWholeNumber(form.maxOutputTokens, limits.outputTokensMax));
  note("seed", noWholeNumber(form.seed, seedMax));
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

const seedMax = 2 ** 31 - 1;

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

function outside(text: string, min: number, max: number): string | undefined {
  const value = numberOf(text);
  return value === undefined || (value >= min && value <= max)
    ? undefined
    : t("assistant.outside", { min, max });
}

function noWholeNumber(text: string, max: number): string | undefined {
  const value = numberOf(text);
  const isRight = value === undefined || (Number.isInteger(value) && value >= 1 && value <= max);
  return isRight ? undefined : t("assistant.noWholeNumber", { max });
}
