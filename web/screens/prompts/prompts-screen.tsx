import type { ReactNode } from "react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import Copy from "lucide-react/icons/copy";
import Pencil from "lucide-react/icons/pencil";
import Plus from "lucide-react/icons/plus";
import Trash from "lucide-react/icons/trash-2";
import type { Prompt } from "#contract/prompts/endpoints.ts";
import { usePrompts } from "#web/data/prompts/prompts.ts";
import { Button } from "#web/ui/button.tsx";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { PromptEditor } from "./prompt-editor.tsx";
import styles from "./prompts-screen.module.css";

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
      <p className={styles["about"]}>{t("prompts.about")}</p>
      <ListContent
        list={list}
        isEmpty={list.prompts.length === 0}
        loadingLabel={t("prompts.loading")}
        failedTitle={t("prompts.failed")}
      >
        {list.prompts.length === 0 && <p className={styles["empty"]}>{t("prompts.empty")}</p>}
        <ul className={styles["list"]}>
          {list.prompts.map((prompt) => (
            <PromptRow key={prompt.id} prompt={prompt} mayChange={list.mayShare || !prompt.is_shared} />
          ))}
        </ul>
        <Button icon={Plus} onClick={() => void navigate({ to: "/prompts", search: { edit: "new" } })}>
          {t("prompts.new")}
        </Button>
      </ListContent>
    </Page>
  );
}

/** A prompt in the list: a link to its form for people who can change it. */
function PromptRow({ prompt, mayChange }: { prompt: Prompt; mayChange: boolean }) {
  const { id, title, text } = prompt;
  const { save, remove } = usePrompts();
  const navigate = useNavigate();
  const inside = (
    <>
      <bdi className={styles["title"]}>{title}</bdi>
      {prompt.is_shared && <span className={styles["mark"]}>{t("prompts.shared")}</span>}
      <span className={styles["text"]}>
        <bdi>{text}</bdi>
      </span>
    </>
  );
  const copy: MenuItem = {
    label: t("prompts.copy"),
    icon: Copy,
    onSelect: () =>
      void save({ title, text, is_shared: false }).then(
        () => showToast(t("prompts.copied", { title })),
        showFailure,
      ),
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
        void remove(id).then(
          () =>
            showToast(t("prompts.deleted", { title }), {
              action: { label: t("action.undo"), run: () => void save(prompt, id).catch(showFailure) },
            }),
          showFailure,
        ),
    },
  ];
  return (
    <li className={styles["row"]}>
      {mayChange ? (
        <Link to="/prompts" search={{ edit: id }} className={styles["words"]}>
          {inside}
        </Link>
      ) : (
        <div className={styles["words"]}>{inside}</div>
      )}
      <MenuButton
        label={t("prompts.actions", { title })}
        tip={t("message.actions")}
        items={() => (mayChange ? changes : [copy])}
      />
    </li>
  );
}
