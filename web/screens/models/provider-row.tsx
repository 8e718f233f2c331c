import { useNavigate } from "@tanstack/react-router";
import Pencil from "lucide-react/icons/pencil";
import Trash from "lucide-react/icons/trash-2";
import type { ProviderInfo } from "#contract/endpoints/providers.ts";
import { providerKinds } from "#contract/provider-kinds.ts";
import { useProviderActions } from "#web/data/assistants/providers.ts";
import type { Confirmation } from "#web/ui/confirm.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { t } from "#web/i18n/translate.ts";
import { MenuRow } from "../menu-row.tsx";
import { moveItems } from "../move-items.ts";
import { problemText } from "./problem-text.ts";

/** A provider in the list, with its state. That of the environment has no actions; if it is Ollama, it has a page. */
export function ProviderRow({
  provider,
  all,
  confirm,
}: {
  provider: ProviderInfo;
  all: readonly ProviderInfo[];
  confirm(confirmation: Confirmation): void;
}) {
  const { id, kind, name, from_environment: isFixed } = provider;
  const items = useItems(provider, all, confirm);
  const kindName = kind === "openai-compatible" ? t("provider.compatible") : providerKinds[kind].name;
  return (
    <MenuRow
      {...((!isFixed || kind === "ollama") && {
        link: { to: "/settings/models/$providerId", params: { providerId: id } },
      })}
      name={name}
      marks={[kindName !== name && kindName, isFixed && t("providers.environment")]}
      about={stateOf(provider)}
      isFailing={provider.state !== "ready"}
      {...(!isFixed && { menu: { label: t("assistants.actions", { name }), items: () => items } })}
    />
  );
}

function stateOf({ state, problem, models, listed, default_model: defaultModel }: ProviderInfo): string {
  if (state === "key-needed") return t("providers.keyNeeded");
  if (problem !== null) return problemText(problem);
  const count = models?.length ?? listed.length;
  const offered = t("providers.models", { count });
  if (defaultModel === null) return offered;
  return t("providers.modelsAndDefault", { offered, model: nameOf(defaultModel, models ?? listed) });
}

function nameOf(id: string, models: readonly { id: string; name: string }[]): string {
  return models.find((model) => model.id === id)?.name || id;
}

function useItems(
  { id, name }: ProviderInfo,
  all: readonly ProviderInfo[],
  confirm: (confirmation: Confirmation) => void,
): MenuItem[] {
  const navigate = useNavigate();
  const actions = useProviderActions();
  const items: MenuItem[] = [
    {
      label: t("action.edit"),
      icon: Pencil,
      onSelect: () => void navigate({ to: "/settings/models/$providerId", params: { providerId: id } }),
    },
  ];
  const movable = all.filter(({ from_environment: isFixed }) => !isFixed);
  items.push(...moveItems(movable, id, actions.reorder));
  items.push({
    label: t("providers.remove"),
    icon: Trash,
    tone: "danger",
    onSelect: () =>
      confirm({
        text: t("providers.removeAsk", { name }),
        label: t("providers.remove"),
        async run() {
          await actions.remove(id);
          return t("providers.removed", { name });
        },
      }),
  });
  return items;
}
