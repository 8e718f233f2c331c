import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import Text from "lucide-react/icons/text-quote";
import type { LucideIcon } from "lucide-react";
import type { Prompt } from "#contract/endpoints/prompts.ts";
import { usePrompts } from "#web/data/people/prompts.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { composerField } from "../focus-composer.ts";
import type { AssistantAndModel } from "../use-assistant-and-model.ts";
import { fitAbove } from "./fit-above.ts";
import { useCommands } from "./commands.ts";
import { commandOf, fillPrompt, matchesCommand, variablesIn } from "./prompt-text.ts";
import { VariablesForm } from "./variables-form.tsx";
import styles from "./slash-menu.module.css";

type Entry = { key: string; icon: LucideIcon; command: string; label: string; run(): void };

/**
 * The list of commands and prompts above the message field, whose text begins with `/`. The field keeps the focus. Esc
 * closes the list until the text begins with `/` again, so that such a message can be sent.
 */
export function SlashMenu({ selection }: { selection: AssistantAndModel }) {
  const aui = useAui();
  const text = useAuiState((s) => s.composer.text);
  const [isClosed, setClosed] = useState(false);
  const [chosen, setChosen] = useState<Prompt>();
  const write = (next: string) => {
    aui.composer.setText(next);
    composerField()?.focus({ preventScroll: true });
  };
  const typed = /^\/(\S*)$/.exec(text)?.[1];
  if (isClosed || typed === undefined) return null;
  if (chosen !== undefined)
    return (
      <VariablesForm
        title={chosen.title}
        names={variablesIn(chosen.text)}
        onDone={(values) => write(fillPrompt(chosen.text, values))}
        onCancel={() => {
          setClosed(true);
          composerField()?.focus({ preventScroll: true });
        }}
      />
    );
  return (
    <Entries
      typed={typed}
      selection={selection}
      onWrite={write}
      onAsk={setChosen}
      onClose={() => setClosed(true)}
    />
  );
}

function Entries({
  typed,
  selection,
  onWrite,
  onAsk,
  onClose,
}: {
  typed: string;
  selection: AssistantAndModel;
  onWrite(text: string): void;
  onAsk(prompt: Prompt): void;
  onClose(): void;
}) {
  const { prompts } = usePrompts();
  const commands = useCommands(selection.hasAlternatives);
  const [selectedKey, setSelectedKey] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const id = useId();

  const found = prompts.map((prompt) => ({
    key: prompt.id,
    icon: Text,
    command: commandOf(prompt.title),
    label: prompt.title,
    run: () => (variablesIn(prompt.text).length > 0 ? onAsk(prompt) : onWrite(prompt.text)),
  }));
  const actions = commands.map(({ name, icon, label, run }) => ({
    key: name,
    icon,
    command: name,
    label,
    run() {
      onWrite("");
      run();
    },
  }));
  const groups = [
    { name: t("screen.prompts"), entries: found.filter((entry) => isMatch(entry, typed)) },
    { name: t("prompts.commands"), entries: actions.filter((entry) => isMatch(entry, typed)) },
  ].filter(({ entries }) => entries.length > 0);
  const entries = groups.flatMap((group) => group.entries);
  const active = Math.max(
    0,
    entries.findIndex(({ key }) => key === selectedKey),
  );
  const activeId = entries.length === 0 ? undefined : `${id}-${active}`;
  useFieldLabels(`${id}-list`, activeId);
  useLayoutEffect(() => fitAbove(list.current));
  useEffect(() => {
    if (active === 0) list.current?.scrollTo(0, 0);
    else list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  });

  useWindowEvent(
    "keydown",
    (event) => {
      // An input method uses the same keys. Safari ends a composition before its last key, which has the code 229.
      if (event.target !== composerField() && event.target !== list.current) return;
      if (event.isComposing || event.keyCode === 229) return;
      if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || entries.length === 0) return;
      const last = entries.length - 1;
      if (event.key === "ArrowDown") setSelectedKey(entries[active >= last ? 0 : active + 1]!.key);
      else if (event.key === "ArrowUp") setSelectedKey(entries[active <= 0 ? last : active - 1]!.key);
      else if (event.key === "Enter" || event.key === "Tab") entries[active]!.run();
      else if (event.key === "Escape") onClose();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );

  let nextIndex = 0;
  return (
    <>
      <p role="status" className="unseen">
        {t("prompts.found", { count: entries.length })}
      </p>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        // It scrolls. The keys work in it as in the field.
        tabIndex={0}
        aria-label={t("prompts.menu")}
        hidden={entries.length === 0}
        className={styles["menu"]}
      >
        {groups.map((group) => (
          <div key={group.name} role="group" aria-label={group.name}>
            <div aria-hidden className={styles["name"]}>
              {group.name}
            </div>
            {group.entries.map((entry) => {
              const index = nextIndex++;
              return (
                <Option
                  key={entry.key}
                  id={`${id}-${index}`}
                  entry={entry}
                  isActive={index === active}
                  onPoint={() => setSelectedKey(entry.key)}
                />
              );
            })}
          </div>
        ))}
      </div>
    </>
  );
}

function Option({
  id,
  entry: { icon, label, command, run },
  isActive,
  onPoint,
}: {
  id: string;
  entry: Entry;
  isActive: boolean;
  onPoint(): void;
}) {
  return (
    // The message field keeps the focus and handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={styles["entry"]}
      onPointerMove={onPoint}
      onClick={run}
    >
      <Icon of={icon} size={16} />
      <bdi className={styles["label"]}>{label}</bdi>
      <bdi className={styles["command"]}>/{command}</bdi>
    </div>
  );
}

function isMatch({ command, label }: Entry, typed: string): boolean {
  return matchesCommand(command, typed) || matchesCommand(commandOf(label), typed);
}

/** Tells assistive technology of the list while it is open. React does not know these attributes of the field. */
function useFieldLabels(listId: string, activeId: string | undefined): void {
  useEffect(() => {
    const field = composerField();
    if (field === null || activeId === undefined) return undefined;
    const attributes = {
      "aria-autocomplete": "list",
      "aria-controls": listId,
      "aria-activedescendant": activeId,
    };
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(attributes)) field.removeAttribute(name);
    };
  }, [listId, activeId]);
}
