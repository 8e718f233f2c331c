import type { SafeStorage } from "./safe-storage.ts";
import { createStore, type Store } from "#web/lib/store.ts";

/**
 * What is being written and was not sent, on this device: one text per thread, one for the new chat and one for each
 * message that is being changed. Tabs share it. A field that was not typed in here shows what is typed elsewhere, and
 * one that was typed in goes along as long as its words are in it; words that another tab does not have stay here, under
 * a key of their own, and write over none that this tab has not shown. Writing to the device waits for a pause in the
 * typing; `flush` does not.
 */
export type Drafts = {
  read: (topic: string) => string;
  /** It was typed here. */
  write: (topic: string, text: string) => void;
  /** It is on its way: no tab offers these words again. */
  sent: (topic: string, text: string) => void;
  /** A field shows it: `heard` gives the words that it is to show from now on. Answers how to let go. */
  follow: (topic: string, heard: (text: string) => void) => () => void;
  flush: () => void;
  /** Throws all of them away, in every tab. */
  forget: () => void;
  /** The messages for which other words are kept, as `draftOfEdit` names them. */
  edits: Pick<Store<ReadonlySet<string>>, "get" | "subscribe">;
  /** What lies on the device is somebody else's now, or has come to others. */
  reread: () => void;
};

/** Where it belongs: a thread, or the new chat. */
export function draftOf(threadId: string | undefined): string {
  return threadId ?? "new";
}

/** Other words for a message, said or waiting. */
export function draftOfEdit(messageId: string): string {
  return `edit.${messageId}`;
}

/** 300 ms: between two words; a page that goes away flushes what is left. */
const pauseMs = 300;
const shared = (topic: string) => `parlance.draft.${topic}`;
const ownBegin = (topic: string) => `${shared(topic)}~`;
const sentKey = (topic: string) => `parlance.draft-sent.${topic}`;
const slotKey = (topic: string) => `parlance.draft-slot.${topic}`;

/** `tab` keeps over a reload under which keys this tab has words of its own. */
export function createDrafts(storage: SafeStorage, tab: SafeStorage): Drafts {
  const unwritten = new Map<string, string>();
  /** What the fields on the screen show, and whether a person typed it here. */
  const fields = new Map<string, { text: string; isTyped: boolean }>();
  /** Keys of other tabs, from which something is shown here that no field had any more. */
  const found = new Map<string, string>();
  /** What this tab last wrote or showed of what all tabs share: nothing else of it is written over. */
  const known = new Map<string, string>();
  const edits = createStore<ReadonlySet<string>>(keptEdits());
  let timer: ReturnType<typeof setTimeout> | undefined;

  function keptEdits(): ReadonlySet<string> {
    return new Set(storage.keys(shared("edit.")).map((key) => topicOf(key)));
  }

  function ownKey(topic: string): string | undefined {
    const slot = tab.get(slotKey(topic));
    return slot === undefined ? undefined : ownBegin(topic) + slot;
  }

  function hasOwn(topic: string): boolean {
    const key = ownKey(topic);
    return key !== undefined && storage.get(key) !== undefined;
  }

  function read(topic: string): string {
    const typed = unwritten.get(topic);
    if (typed !== undefined) return typed;
    const own = ownKey(topic);
    const text = own && storage.get(own);
    if (text !== undefined) return text;
    const ofAll = storage.get(shared(topic));
    if (ofAll !== undefined) {
      known.set(topic, ofAll);
      return ofAll;
    }
    // A tab that is gone, or stands beside this one, had it for itself.
    const left = storage.keys(ownBegin(topic))[0];
    if (left === undefined) return "";
    found.set(topic, left);
    return storage.get(left) ?? "";
  }

  function put(topic: string, text: string): void {
    const own = hasOwn(topic) ? ownKey(topic) : undefined;
    const key = own ?? shared(topic);
    const from = found.get(topic);
    if (from !== undefined && from !== key) storage.remove(from);
    found.delete(topic);
    if (own === undefined && isOfOthers(topic)) {
      if (text !== "") keepOwn(topic, text);
    } else if (text === "") {
      storage.remove(key);
      if (own !== undefined) tab.remove(slotKey(topic));
    } else {
      if (own === undefined) known.set(topic, text);
      storage.set(key, text);
    }
  }

  /** What all tabs share are words that this one never showed, or did not hear of yet. */
  function isOfOthers(topic: string): boolean {
    const text = storage.get(shared(topic));
    return text !== undefined && text !== known.get(topic);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [topic, text] of unwritten) put(topic, text);
    unwritten.clear();
  }

  /** Another tab writes other words, or left them: those that were typed here get a key of their own. */
  function keepOwn(topic: string, text: string): void {
    const slot = crypto.randomUUID();
    unwritten.delete(topic);
    known.delete(topic);
    storage.set(ownBegin(topic) + slot, text);
    tab.set(slotKey(topic), slot);
  }

  function hearWritten(topic: string, text: string, heard: (text: string) => void): void {
    const field = fields.get(topic);
    if (field === undefined || hasOwn(topic)) return;
    if (field.text === text) known.set(topic, text);
    else if (field.isTyped && !text.includes(field.text)) keepOwn(topic, field.text);
    else show(topic, text, heard);
  }

  function hearSent(topic: string, text: string, heard: (text: string) => void): void {
    const field = fields.get(topic);
    if (field === undefined || field.text === "" || !text.includes(field.text.trim())) return;
    const own = ownKey(topic);
    tab.remove(slotKey(topic));
    if (own !== undefined) storage.remove(own);
    show(topic, "", heard);
  }

  /** What this tab alone has is taken by none that only found it. */
  function keepOwnAgain(topic: string, key: string): void {
    const text = fields.get(topic)?.text ?? "";
    if (key === ownKey(topic) && text !== "") storage.set(key, text);
  }

  function show(topic: string, text: string, heard: (text: string) => void): void {
    unwritten.delete(topic);
    known.set(topic, text);
    fields.set(topic, { text, isTyped: false });
    heard(text);
  }

  /** Said to those who listen now, and left to nobody. */
  function tellSent(topic: string, text: string): void {
    storage.set(sentKey(topic), text);
    storage.remove(sentKey(topic));
  }

  function noteEdit(topic: string, isKept: boolean): void {
    if (!topic.startsWith("edit.") || edits.get().has(topic) === isKept) return;
    const others = [...edits.get()].filter((other) => other !== topic);
    edits.set(new Set(isKept ? [...others, topic] : others));
  }

  storage.heardElsewhere(shared("edit."), (key, text) => noteEdit(topicOf(key), text !== undefined));

  return {
    read,
    edits,
    write(topic, text) {
      unwritten.set(topic, text);
      fields.set(topic, { text, isTyped: true });
      noteEdit(topic, text !== "");
      timer ??= setTimeout(flush, pauseMs);
    },
    sent(topic, text) {
      unwritten.delete(topic);
      put(topic, "");
      noteEdit(topic, false);
      for (const key of [shared(topic), ...storage.keys(ownBegin(topic))])
        if (text.includes(storage.get(key)?.trim() ?? "")) storage.remove(key);
      tellSent(topic, text);
    },
    forget() {
      flush();
      for (const key of storage.keys(shared(""))) {
        tellSent(topicOf(key), storage.get(key) ?? "");
        storage.remove(key);
      }
    },
    follow(topic, heard) {
      fields.set(topic, { text: read(topic), isTyped: false });
      const releases = [
        storage.heardElsewhere(shared(topic), (key, text) => {
          if (key === shared(topic)) hearWritten(topic, text ?? "", heard);
          else if (text === undefined) keepOwnAgain(topic, key);
        }),
        storage.heardElsewhere(sentKey(topic), (key, text) => {
          if (key === sentKey(topic) && text !== undefined) hearSent(topic, text, heard);
        }),
      ];
      return () => {
        for (const release of releases) release();
        fields.delete(topic);
      };
    },
    flush,
    reread: () => edits.set(keptEdits()),
  };
}

/** Of which draft a key is. */
function topicOf(key: string): string {
  return key.slice(shared("").length).split("~")[0] ?? "";
}
