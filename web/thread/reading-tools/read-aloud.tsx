import { useEffect } from "react";
import { useAuiState } from "@assistant-ui/react";
import Volume from "lucide-react/icons/volume-2";
import { t } from "#web/i18n/translate.ts";
import { createStore } from "#web/lib/store.ts";
import { IconButton } from "#web/ui/button.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { ReadAloudBar } from "./read-aloud-bar.tsx";

/** The id of the answer that is being read aloud. */
const current = createStore<string | undefined>(undefined);

const canReadAloud = "speechSynthesis" in window;

/** Reads the answer aloud that a person chose, while its thread is open, with buttons to pause, go on and stop. */
export function ReadAloud() {
  const messageId = current.use();
  const isHere = useAuiState((s) => s.thread.messages.some(({ id }) => id === messageId));
  const close = () => current.set(undefined);
  useEffect(() => close, []);
  // When the answer is shown again, nothing is read before the person asks for it.
  useEffect(() => {
    if (!isHere) close();
  }, [isHere]);
  return messageId !== undefined && isHere ? (
    <ReadAloudBar key={messageId} messageId={messageId} onClose={close} />
  ) : null;
}

/** Reads an answer aloud while it is written. */
export function ReadAloudButton({ messageId }: { messageId: string }) {
  const isReading = current.use() === messageId;
  if (!canReadAloud || isReading) return null;
  return (
    <IconButton icon={Volume} size={16} label={t("readAloud.start")} onClick={() => current.set(messageId)} />
  );
}

/** The item of an answer's menu. */
export function readAloudItems(messageId: string): MenuItem[] {
  return canReadAloud
    ? [{ label: t("readAloud.start"), icon: Volume, onSelect: () => current.set(messageId) }]
    : [];
}
