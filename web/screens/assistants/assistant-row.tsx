import { useNavigate } from "@tanstack/react-router";
import Copy from "lucide-react/icons/copy";
import LinkIcon from "lucide-react/icons/link";
import MessageSquare from "lucide-react/icons/message-square";
import Pencil from "lucide-react/icons/pencil";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import Trash from "lucide-react/icons/trash-2";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import { appUrl } from "#web/lib/base-path.ts";
import { useAssistantActions } from "#web/data/assistants/assistants.ts";
import { Avatar } from "#web/ui/avatar.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { showFailure, showOutcome, showToast } from "#web/ui/toast.tsx";
import { writeClipboard } from "#web/ui/copy/use-copied.ts";
import { t } from "#web/i18n/translate.ts";
import { MenuRow } from "../menu-row.tsx";
import { moveItems } from "../move-items.ts";
import { useArea } from "./use-area.ts";

/** An assistant in the list: a link to its form for people who can change it, else to a new chat with it. */
export function AssistantRow({
  assistant,
  model,
  mayChange,
  all,
}: {
  assistant: Assistant;
  model: string | undefined;
  mayChange: boolean;
  all: readonly Assistant[];
}) {
  const { id, name } = assistant;
  const area = useArea();
  const items = useItems(assistant, mayChange, all);
  const about = [model, ...assistant.starters.slice(0, 1)].filter(Boolean).join(" · ");
  return (
    <MenuRow
      link={
        mayChange
          ? { to: `${area}/assistants/$assistantId`, params: { assistantId: id } }
          : { to: "/", search: { assistant: id } }
      }
      before={<Avatar look={assistant.avatar} size="medium" />}
      name={name}
      marks={[id === defaultAssistantId && t("assistants.default")]}
      about={about}
      menu={{ label: t("assistants.actions", { name }), items: () => items }}
    />
  );
}

function useItems(assistant: Assistant, mayChange: boolean, all: readonly Assistant[]): MenuItem[] {
  const navigate = useNavigate();
  const area = useArea();
  const actions = useAssistantActions();
  const { id, name } = assistant;
  const remove = (doneText: string) =>
    showOutcome(actions.remove(id), doneText, async () => await actions.restore(id));

  const forAll: MenuItem[] = [
    {
      label: t("assistants.chat"),
      icon: MessageSquare,
      onSelect: () => void navigate({ to: "/", search: { assistant: id } }),
    },
    {
      label: t("assistants.link"),
      icon: LinkIcon,
      onSelect: () =>
        void writeClipboard(appUrl(`/?assistant=${encodeURIComponent(id)}`)).then((isCopied) =>
          showToast(t(isCopied ? "assistants.linkCopied" : "action.copyFailed")),
        ),
    },
  ];
  if (!mayChange) return forAll;
  const items: MenuItem[] = [
    {
      label: t("action.edit"),
      icon: Pencil,
      onSelect: () => void navigate({ to: `${area}/assistants/$assistantId`, params: { assistantId: id } }),
    },
    ...forAll,
    {
      label: t("assistants.duplicate"),
      icon: Copy,
      onSelect: () =>
        void actions
          .duplicate(id, cutText(t("assistants.copyOf", { name }), limits.assistantNameCharacters))
          .catch(showFailure),
    },
  ];
  items.push(...moveItems(all, id, actions.reorder));
  if (id !== defaultAssistantId)
    items.push({
      label: t("action.delete"),
      icon: Trash,
      tone: "danger",
      onSelect: () => remove(t("assistants.deleted", { name })),
    });
  else if (assistant.is_changed)
    items.push({
      label: t("assistants.reset"),
      icon: RotateCcw,
      tone: "danger",
      onSelect: () => remove(t("assistants.wasReset", { name })),
    });
  return items;
}
