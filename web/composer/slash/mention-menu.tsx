import { useState, useSyncExternalStore } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import type { ThreadUserMessagePart } from "@assistant-ui/react";
import { useParams } from "@tanstack/react-router";
import Bot from "lucide-react/icons/bot";
import MessageSquare from "lucide-react/icons/message-square";
import Paperclip from "lucide-react/icons/paperclip";
import type { StoredFile } from "#contract/endpoints/files.ts";
import { useLibrary } from "#web/data/library/library.ts";
import { storedAddress } from "#web/data/library/own-file.ts";
import { isImageType, uploadPart } from "#web/data/library/uploads/upload.ts";
import { useSearch } from "#web/data/search/search.ts";
import { useCan } from "#web/data/session/session.ts";
import { useThreadList } from "#web/data/threads/threads.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { t } from "#web/i18n/translate.ts";
import { composerField } from "../focus-composer.ts";
import type { AssistantAndModel } from "../use-assistant-and-model.ts";
import { mentionAt, threadReference, type Mention } from "./mention.ts";
import { Suggestions } from "./suggestions.tsx";

/** Shorter than the pause between two words. */
const debounceMs = 100;
/** Entries of each kind. */
const shownMax = 5;

/**
 * What can be mentioned after an `@`: an assistant, which then answers; a file, which is attached again; a thread, which
 * the model can read by the link that is inserted. Esc closes the list for this `@`.
 */
export function MentionMenu({ selection }: { selection: AssistantAndModel }) {
  const text = useAuiState((s) => s.composer.text);
  const cursor = useSyncExternalStore(subscribeToCursor, readCursor);
  const [closedAt, setClosedAt] = useState<number>();
  const mention = mentionAt(text, cursor);
  if (mention === undefined || mention.start === closedAt) return null;
  return <Mentionable mention={mention} selection={selection} onClose={() => setClosedAt(mention.start)} />;
}

function subscribeToCursor(onChange: () => void): () => void {
  document.addEventListener("selectionchange", onChange);
  return () => document.removeEventListener("selectionchange", onChange);
}

function readCursor(): number {
  const field = composerField();
  return field instanceof HTMLTextAreaElement ? field.selectionEnd : 0;
}

function Mentionable({
  mention: { start, typed },
  selection,
  onClose,
}: {
  mention: Mention;
  selection: AssistantAndModel;
  onClose(): void;
}) {
  const aui = useAui();
  const { threadId } = useParams({ strict: false });
  const mayUpload = useCan("files.upload") !== false;
  const query = useDebouncedValue(typed, debounceMs);
  const { threads } = useThreadList("regular");
  const { hits } = useSearch(query, { kind: "title", limit: shownMax + 1 });
  const { files } = useLibrary(query, "newest");

  /** Replaces the mention, and puts the cursor after it. */
  const replace = (by: string) => {
    const { text } = aui.composer.getState();
    aui.composer.setText(text.slice(0, start) + by + text.slice(start + 1 + typed.length));
    requestAnimationFrame(() => {
      const field = composerField();
      if (!(field instanceof HTMLTextAreaElement)) return;
      field.focus({ preventScroll: true });
      field.setSelectionRange(start + by.length, start + by.length);
    });
  };
  const found =
    typed === ""
      ? threads.map(({ id, title }) => ({ id, title }))
      : hits.map(({ thread_id: id, title }) => ({ id, title }));
  const others = found.flatMap(({ id, title }) => (title === null || id === threadId ? [] : [{ id, title }]));
  const assistants = selection.assistants.filter(({ name }) =>
    name.toLocaleLowerCase().includes(typed.toLocaleLowerCase()),
  );
  const groups = [
    {
      name: t("assistants.title"),
      entries: (selection.assistants.length > 1 ? assistants : []).slice(0, shownMax).map(({ id, name }) => ({
        key: id,
        icon: Bot,
        label: name,
        run() {
          selection.chooseAssistant(id);
          replace("");
        },
      })),
    },
    {
      name: t("screen.files"),
      entries: (mayUpload ? files : []).slice(0, shownMax).map((file) => ({
        key: file.id,
        icon: Paperclip,
        label: file.name,
        run() {
          void aui.composer.addAttachment(attachmentOf(file));
          replace("");
        },
      })),
    },
    {
      name: t("app.navigation"),
      entries: others.slice(0, shownMax).map(({ id, title }) => ({
        key: id,
        icon: MessageSquare,
        label: title,
        run: () => replace(`${threadReference(id, title)} `),
      })),
    },
  ];
  return <Suggestions label={t("mention.menu")} groups={groups} onClose={onClose} />;
}

/** A stored file as an attachment. It is not uploaded again. */
function attachmentOf(file: StoredFile) {
  const part = uploadPart({
    id: file.id,
    topic: "",
    name: file.name,
    type: file.type,
    sizeBytes: file.size_bytes,
    sentBytes: file.size_bytes,
    state: "ready",
    address: storedAddress(file.id),
  });
  return {
    type: isImageType(file.type) ? "image" : "file",
    name: file.name,
    contentType: file.type,
    content: [part as ThreadUserMessagePart],
  };
}
