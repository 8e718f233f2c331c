import { useEffect, useState } from "react";
import { useAui, useAuiState } from "@assistant-ui/react";
import Text from "lucide-react/icons/text-quote";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import { usePrompts } from "#web/data/prompts/prompts.ts";
import { t } from "#web/i18n/translate.ts";
import { composerField } from "../focus-composer.ts";
import type { AssistantAndModel } from "../use-assistant-and-model.ts";
import { useCommands } from "./commands.ts";
import { commandOf, fillPrompt, matchesCommand, variablesIn } from "./prompt-text.ts";
import { Suggestions } from "./slash-suggestions.tsx";
import { VariablesForm } from "./variables-form.tsx";

/** The draft above which the list was closed. It stays closed when the person comes back to it, but not for a new `/`. */
let closedDraft: string | undefined;

/**
 * The list of commands and prompts above the message field, whose text begins with `/`. The field keeps the focus. Esc
 * closes the list until the text begins with `/` again, so that such a message can be sent.
 */
export function SlashMenu({ selection }: { selection: AssistantAndModel }) {
  const aui = useAui();
  const text = useAuiState((s) => s.composer.text);
  const [isClosed, setClosed] = useState(() => text === closedDraft);
  useEffect(() => {
    if (isClosed && text !== "/") closedDraft = text;
  }, [isClosed, text]);
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
  const found = prompts.map((prompt) => ({
    key: prompt.id,
    icon: Text,
    secondary: `/${commandOf(prompt.title)}`,
    label: prompt.title,
    run: () => (variablesIn(prompt.text).length > 0 ? onAsk(prompt) : onWrite(prompt.text)),
  }));
  const actions = commands.map(({ name, icon, label, run }) => ({
    key: name,
    icon,
    secondary: `/${name}`,
    label,
    run() {
      onWrite("");
      run();
    },
  }));
  const groups = [
    { name: t("screen.prompts"), entries: found.filter((entry) => isMatch(entry, typed)) },
    { name: t("prompts.commands"), entries: actions.filter((entry) => isMatch(entry, typed)) },
  ];
  return <Suggestions label={t("prompts.menu")} groups={groups} onClose={onClose} />;
}

function isMatch({ secondary, label }: { secondary: string; label: string }, typed: string): boolean {
  return matchesCommand(secondary.slice(1), typed) || matchesCommand(commandOf(label), typed);
}
