import { useState } from "react";
import { useAuiState } from "@assistant-ui/react";
import ThumbsDown from "lucide-react/icons/thumbs-down";
import ThumbsUp from "lucide-react/icons/thumbs-up";
import type { FeedbackType } from "#contract/endpoints/scores.ts";
import type { OwnFeedback } from "#web/data/threads/branch-rows.ts";
import { useMessageFacts } from "#web/data/threads/message-facts-context.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { IconButton } from "#web/ui/button.tsx";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";

/** The rating of the current answer, and whether the form for its reason is open. */
export function useFeedback() {
  const id = useAuiState((s) => s.message.id);
  const reply = useMessageFacts(id);
  const { rate } = useOpenThread();
  const [isOpen, setOpen] = useState(false);
  const given = reply?.feedback ?? null;
  return {
    given,
    isOpen: isOpen && given?.type === "negative",
    setOpen,
    give: (feedback: OwnFeedback | null) => void rate(id, feedback).catch(showFailure),
  };
}

/** Rates an answer. A second press on the thumb up removes the rating; the thumb down opens the form again. */
export function FeedbackButtons({ given, isOpen, setOpen, give }: ReturnType<typeof useFeedback>) {
  const isEmpty = useAuiState((s) => s.message.parts.length === 0);
  const reply = useMessageFacts(useAuiState((s) => s.message.id));
  if (isEmpty || reply === undefined || reply.sendState !== "stored") return null;
  const rating = (type: FeedbackType): OwnFeedback => ({ type, reason: null, comment: null });
  return (
    <>
      <IconButton
        icon={ThumbsUp}
        size={16}
        label={t("message.good")}
        aria-pressed={given?.type === "positive"}
        onClick={() => give(given?.type === "positive" ? null : rating("positive"))}
      />
      <IconButton
        data-thumb-down
        icon={ThumbsDown}
        size={16}
        label={t("message.bad")}
        aria-pressed={given?.type === "negative"}
        aria-expanded={given?.type === "negative" ? isOpen : undefined}
        onClick={() => {
          if (given?.type !== "negative") give(rating("negative"));
          setOpen(!isOpen);
        }}
      />
    </>
  );
}
