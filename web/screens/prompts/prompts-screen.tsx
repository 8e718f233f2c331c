import type { ReactNode } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import Copy from "lucide-react/icons/copy";
import Pencil from "lucide-react/icons/pencil";
import Plus from "lucide-react/icons/plus";
import Trash from "lucide-react/icons/trash-2";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import { usePrompts } from "#web/data/prompts/prompts.ts";
import { Button } from "#web/ui/button.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { showOutcome } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { MenuRow } from "../menu-row.tsx";
import { Page } from "../page.tsx";
import { Rows } from "../rows.tsx";
import { PromptEditor } from "./prompt-editor.tsx";
import screenStyles from "../screen.module.css";

/** `/prompts`: the texts that the person keeps, and those that everybody can use. `?edit=` is the form of one. */
export function PromptsScreen(): ReactNode {
  const { edit } = useSearch({ strict: false });
  return edit === undefined ? <List /> : <PromptEditor key={edit} id={edit} />;
}

function List() {
  const list = usePrompts();
  const navigate = useNavigate();
  return (
    <Page title={t("screen.prompts")}>
      <p className={screenStyles["about"]}>{t("prompts.about")}</p>
      <Rows
        list={list}
        rows={list.prompts}
        loadingLabel={t("prompts.loading")}
        failedTitle={t("prompts.failed")}
        empty={[t("prompts.empty")]}
        add={
          <Button icon={Plus} onClick={() => void navigate({ to: "/prompts", search: { edit: "new" } })}>
            {t("prompts.new")}
          </Button>
        }
      >
        {(prompt) => <PromptRow prompt={prompt} mayChange={list.mayShare || !prompt.is_shared} />}
      </Rows>
    </Page>
  );
}

/** A prompt in the list: a link to its form for people who can change it. */
function PromptRow({ prompt, mayChange }: { prompt: Prompt; mayChange: boolean }) {
  const { id, title, text } = prompt;
  const { save, remove } = usePrompts();
  const navigate = useNavigate();
  const copy: MenuItem = {
    label: t("prompts.copy"),
    icon: Copy,
    onSelect: () => showOutcome(save({ title, text, is_shared: false }), t("prompts.copied", { title })),
  };
  const changes: MenuItem[] = [
    {
      label: t("action.edit"),
      icon: Pencil,
      onSelect: () => void navigate({ to: "/prompts", search: { edit: id } }),
    },
    copy,
    {
      label: t("action.delete"),
      icon: Trash,
      tone: "danger",
      onSelect: () =>
        showOutcome(remove(id), t("prompts.deleted", { title }), async () => await save(prompt, id)),
    },
  ];
  return (
    <MenuRow
      {...(mayChange && { link: { to: "/prompts", search: { edit: id } } })}
      name={title}
      marks={[prompt.is_shared && t("prompts.shared")]}
      about={<bdi>{text}</bdi>}
      menu={{ label: t("prompts.actions", { title }), items: () => (mayChange ? changes : [copy]) }}
    />
  );
}
