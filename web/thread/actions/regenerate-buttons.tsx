import { useAui, useAuiState } from "@assistant-ui/react";
import ArrowLeftRight from "lucide-react/icons/arrow-left-right";
import ChevronDown from "lucide-react/icons/chevron-down";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import type { AssistantChoice } from "#web/data/outbox/outbox-entry.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import { assistantItems, isLongList, modelItems } from "#web/composer/assistant-items.tsx";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { useThread } from "#web/data/threads/threads.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Menu } from "#web/ui/menu/menu.tsx";
import { showToast } from "#web/ui/toast.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { t } from "#web/i18n/translate.ts";
import { endingAction } from "../ending-text.ts";
import { useIsAnswerEmpty } from "../is-answer-empty.ts";
import styles from "./message-actions.module.css";

/**
 * Regenerates the answer with the selection of the composer, or once with another assistant or model. The buttons stay
 * enabled while an answer is being written: otherwise those of all messages would be rendered before its first word.
 */
export function RegenerateButtons() {
  const aui = useAui();
  const whenIdle = useWhenIdle();
  const reply = useMessageFacts(useAuiState((s) => s.message.id));
  const isEmpty = useIsAnswerEmpty();
  const hasNotice = reply !== undefined && endingAction(reply, isEmpty) === "try-again";
  return (
    <>
      {/* The notice of a failed answer has a button for it. */}
      {!hasNotice && (
        <IconButton
          icon={RotateCcw}
          size={16}
          label={t("message.again")}
          onClick={() => whenIdle(() => aui.message.reload())}
        />
      )}
      <RegenerateWith isAlone={hasNotice} />
    </>
  );
}

/** Returns a function that does something, or says why it cannot be done while an answer is being written. */
function useWhenIdle(): (act: () => void) => void {
  const aui = useAui();
  return (act) => (aui.thread.getState().isRunning ? showToast(t("message.busy")) : act());
}

/** A menu of the assistants and the models. Hidden if there is only one of each. `isAlone`: there is no other button. */
function RegenerateWith({ isAlone }: { isAlone: boolean }) {
  const id = useAuiState((s) => s.message.id);
  const { threadId, regenerateWith } = useOpenThread();
  const whenIdle = useWhenIdle();
  const regenerate = (choice: AssistantChoice) => whenIdle(() => regenerateWith(id, choice));
  const { thread } = useThread(threadId);
  const { assistants } = useAssistants();
  const { models, isLocalOnly } = useModels();
  const assistant = assistants.find((each) => each.id === (thread?.assistant_id ?? defaultAssistantId));
  const isLocalThread = isLocalOnly || thread?.local_only === true;
  const rule = { isLocalOnly: isLocalThread || assistant?.local_only === true };
  if (assistants.length <= 1 && models.length <= 1) return null;
  const items = (): MenuItem[] => [
    ...(models.length > 1 ? modelItems(models, (model) => regenerate({ model }), rule) : []),
    ...(assistants.length > 1
      ? assistantItems({ assistants, models }, (assistantId) => regenerate({ assistantId }), {
          isLocalOnly: isLocalThread,
        })
      : []),
  ];
  return (
    <Menu
      label={t("message.againWith")}
      items={items}
      filter={isLongList(models) ? t("assistantPicker.filter") : undefined}
    >
      <IconButton
        // Beside a failed answer the other icon would look like a second button to try again.
        icon={isAlone ? ArrowLeftRight : ChevronDown}
        size={isAlone ? 16 : 14}
        label={t("message.againWith")}
        className={isAlone ? undefined : styles["turn"]}
      />
    </Menu>
  );
}
