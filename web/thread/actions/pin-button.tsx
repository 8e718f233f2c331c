import { useAuiState } from "@assistant-ui/react";
import Pin from "lucide-react/icons/pin";
import { limits } from "#contract/limits.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { IconButton } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { useIsAnswerEmpty } from "../is-answer-empty.ts";

/** Pins the message, so that models read it in full in long chats too. A pinned message always shows the button. */
export function PinButton() {
  const id = useAuiState((s) => s.message.id);
  const reply = useMessageFacts(id);
  const { pin } = useOpenThread();
  const isEmpty = useIsAnswerEmpty();
  if (reply?.sendState !== "stored" || isEmpty) return null;
  const { isPinned } = reply;
  return (
    <IconButton
      icon={Pin}
      size={16}
      label={t("message.pin")}
      data-tip={
        isPinned
          ? t("message.pinned", { count: limits.pinnedMessagesMax, characters: limits.pinnedCharactersMax })
          : t("message.pinHint")
      }
      aria-pressed={isPinned}
      onClick={() => void pin(id, !isPinned).catch(showFailure)}
    />
  );
}
