import type { ProviderCreate, ProviderInfo, ProviderUpdate } from "#contract/endpoints/providers.ts";
import { limits } from "#contract/limits.ts";
import { providerKindInfo, type ProviderKindId } from "#contract/provider-kinds.ts";
import { factsMistake, modelFormOf, offeredModelOf, type ModelForm } from "./model-facts.ts";
import { t } from "#web/i18n/translate.ts";

/** What the owner enters about a provider. */
export type ProviderForm = {
  kind: ProviderKindId;
  name: string;
  /** Empty for the stored key. */
  apiKey: string;
  /** Empty for the usual one of the kind. */
  baseUrl: string;
  /** The models that are offered; `undefined` for all that the provider lists. */
  models: ModelForm[] | undefined;
  /** The server's default model, if it is one of this provider's; empty otherwise. */
  defaultModel: string;
};

export function emptyProviderForm(kind: ProviderKindId, more: Partial<ProviderForm> = {}): ProviderForm {
  const { name } = providerKindInfo(kind);
  return { kind, name, apiKey: "", baseUrl: "", models: undefined, defaultModel: "", ...more };
}

export function providerFormOf(provider: ProviderInfo): ProviderForm {
  const { kind, name, base_url: url, models, default_model: defaultModel } = provider;
  return {
    kind,
    name,
    apiKey: "",
    baseUrl: url === providerKindInfo(kind).baseUrl ? "" : url,
    models: models?.map(modelFormOf),
    defaultModel: defaultModel ?? "",
  };
}

export type ProviderMistakes = { name?: string; apiKey?: string; baseUrl?: string; models?: string };

/** What is wrong in the form, in the page's language. `hasKey`: the provider has a stored key. */
export function providerMistakesOf(form: ProviderForm, hasKey: boolean): ProviderMistakes {
  const { key, baseUrl: usualUrl } = providerKindInfo(form.kind);
  const [name, apiKey, baseUrl] = [form.name.trim(), form.apiKey.trim(), form.baseUrl.trim()];
  const mistakes: ProviderMistakes = {};
  if (name === "") mistakes.name = t("assistant.nameMissing");
  if (name.length > limits.providerNameCharacters)
    mistakes.name = t("assistant.tooLong", { count: name.length, max: limits.providerNameCharacters });
  if (apiKey === "" && key === "required" && !hasKey) mistakes.apiKey = t("provider.keyMissing");
  if (apiKey !== "" && !/^[\x21-\x7e]+$/.test(apiKey)) mistakes.apiKey = t("provider.keyWrong");
  if (baseUrl === "" ? usualUrl === undefined : !isUrl(baseUrl)) mistakes.baseUrl = t("provider.urlWrong");
  if (form.models?.length === 0) mistakes.models = t("provider.modelsNone");
  if (form.models?.some(({ facts }) => factsMistake(facts) !== undefined) === true)
    mistakes.models = t("facts.wrong");
  return mistakes;
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** The place of the provider, as a test and a save send it. */
export function providerPlaceOf({ kind, baseUrl, apiKey }: ProviderForm) {
  const key = apiKey.trim();
  return { kind, base_url: baseUrl.trim(), ...(key === "" ? {} : { api_key: key }) };
}

export function createBodyOf(form: ProviderForm): ProviderCreate {
  return { ...providerPlaceOf(form), ...sharedOf({ ...form, name: nameOf(form) }) };
}

/** Several servers can be compatible with OpenAI's, so each is named after its host unless the owner names it. */
function nameOf({ kind, name, baseUrl }: ProviderForm): string {
  const isUnnamed = kind === "openai-compatible" && name === providerKindInfo(kind).name;
  return isUnnamed ? new URL(baseUrl).host.slice(0, limits.providerNameCharacters) : name;
}

export function updateBodyOf(form: ProviderForm, version: number): ProviderUpdate {
  const { kind: _, ...place } = providerPlaceOf(form);
  return { version, ...place, ...sharedOf(form) };
}

function sharedOf({ name, models, defaultModel }: ProviderForm) {
  return {
    name: name.trim(),
    models: models?.map(offeredModelOf) ?? null,
    default_model: defaultModel === "" ? null : defaultModel,
  };
}
