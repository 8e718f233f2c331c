import AudioLines from "lucide-react/icons/audio-lines";
import Brain from "lucide-react/icons/brain";
import FileText from "lucide-react/icons/file-text";
import ImageIcon from "lucide-react/icons/image";
import Wrench from "lucide-react/icons/wrench";
import { idAtProvider } from "#contract/ids.ts";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import { printNumber, t } from "#web/i18n/translate.ts";
import { readPreference } from "#web/preferences/preferences.ts";
import { Avatar } from "#web/ui/avatar.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";

/** More models than this cannot be seen at a glance. */
const unfilteredMax = 8;

/** Whether a menu of these models needs a filter. */
export function isLongList(models: readonly ModelInfo[]): boolean {
  return models.length > unfilteredMax;
}

/** Whether the model may answer where only local models are allowed, or all of them. */
export function mayAnswer({ is_local: isLocal }: ModelInfo, isLocalOnly: boolean): boolean {
  return isLocal || !isLocalOnly;
}

/**
 * `chosen`: the id of the assistant that answers, in a menu that is a choice of one. `isLocalOnly`: the thread or the server
 * allows only local models, so an assistant whose own model is another is shown, but cannot be chosen.
 */
export function assistantItems(
  { assistants, models }: { assistants: readonly Assistant[]; models: readonly ModelInfo[] },
  onSelect: (id: string) => void,
  { chosen, isLocalOnly }: { chosen?: string; isLocalOnly: boolean },
): MenuItem[] {
  const isAllowed = (entry: Assistant): boolean => {
    const model = models.find(({ id }) => id === entry.model);
    return model === undefined || mayAnswer(model, isLocalOnly || entry.local_only);
  };
  return assistants.map((entry) => ({
    section: t("assistantPicker.assistants"),
    label: entry.name,
    leading: <Avatar look={entry.avatar} />,
    ...(isAllowed(entry) ? {} : { secondary: t("assistantPicker.notLocal"), disabled: true }),
    ...(chosen === undefined ? {} : { checked: entry.id === chosen }),
    onSelect: () => onSelect(entry.id),
  }));
}

/**
 * The favourites first, then, in a long list, the models that were chosen last. `chosen`: the id of the model that
 * answers, in a menu that is a choice of one. `isLocalOnly`: others than local models are shown, but cannot be chosen.
 */
export function modelItems(
  models: readonly ModelInfo[],
  onSelect: (id: string) => void,
  { chosen, isLocalOnly }: { chosen?: string; isLocalOnly: boolean },
): MenuItem[] {
  const favourites = readPreference("favouriteModels");
  const recent = isLongList(models) ? readPreference("recentModels") : [];
  const connected = new Set(models.map(({ provider }) => provider).filter((id) => id !== "builtin"));
  const secondaryOf = (entry: ModelInfo) =>
    [
      mayAnswer(entry, isLocalOnly) ? "" : t("model.notLocal"),
      connected.size > 1 ? entry.provider_name : "",
      ...factsOf(entry),
      idAtProvider(entry.id) === entry.name ? "" : idAtProvider(entry.id),
    ]
      .filter((text) => text !== "")
      .join(" · ");
  const rankOf = ({ id }: ModelInfo) => (favourites.includes(id) ? 0 : recent.includes(id) ? 1 : 2);
  const sections = [t("model.favourites"), t("model.recent"), t("model.label")];
  return models
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((entry) => ({
      section: sections[rankOf(entry)]!,
      label: entry.name,
      secondary: secondaryOf(entry) || undefined,
      disabled: !mayAnswer(entry, isLocalOnly),
      marks: marksOf(entry),
      ...(chosen === undefined ? {} : { checked: entry.id === chosen }),
      onSelect: () => onSelect(entry.id),
    }));
}

/** Icons for what the model can do besides reading and writing text, as far as it is known. */
function marksOf({ reads, tools, efforts }: ModelInfo): NonNullable<MenuItem["marks"]> {
  return [
    ...(reads.includes("image") ? [{ icon: ImageIcon, label: t("model.reads.image") }] : []),
    ...(reads.includes("pdf") ? [{ icon: FileText, label: t("model.reads.pdf") }] : []),
    ...(reads.includes("audio") ? [{ icon: AudioLines, label: t("model.reads.audio") }] : []),
    ...(tools === true ? [{ icon: Wrench, label: t("model.tools") }] : []),
    ...(efforts.length > 0 ? [{ icon: Brain, label: t("effort.label") }] : []),
  ];
}

/** The model's context and prices, as far as they are known. */
function factsOf({ context_tokens: contextTokens, prices }: ModelInfo): string[] {
  return [
    contextTokens === null ? "" : t("model.context", { tokens: shortNumber(contextTokens) }),
    prices === null
      ? ""
      : t("model.prices", { input: printNumber(prices.input), output: printNumber(prices.output) }),
  ];
}

/** 200000 is 200K, and 1048576 is 1M. */
function shortNumber(count: number): string {
  return count < 1_000_000 ? `${Math.round(count / 1000)}K` : `${Math.round(count / 100_000) / 10}M`;
}
