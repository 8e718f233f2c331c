import { useState } from "react";
import { useNavigate, useParams } from "@tanstack/react-router";
import { newId } from "#contract/ids.ts";
import { AssistantEditor } from "#web/screens/assistants/assistant-editor.tsx";
import {
  assistantBodyOf,
  emptyAssistantForm,
  assistantFormOf,
} from "#web/screens/assistants/assistant-form.ts";
import { useAssistant, useAssistantActions, useAssistants } from "#web/data/assistants/assistants.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { Notice } from "#web/ui/notice.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { LoadingRows } from "../list-content.tsx";
import { BackLink, Page } from "../page.tsx";
import { useArea } from "./use-area.ts";

/** `/settings/assistants/:assistantId` and `/admin/assistants/:assistantId`. The id `new` is a new assistant. */
export function AssistantScreen() {
  const { assistantId = "new" } = useParams({ strict: false });
  if (assistantId === "new")
    return (
      <AssistantPage title={t("assistants.new")}>
        <Create />
      </AssistantPage>
    );
  return (
    <AssistantPage title={t("assistant.edit")}>
      <Edit key={assistantId} id={assistantId} />
    </AssistantPage>
  );
}

function AssistantPage({ title, children }: { title: string; children: React.ReactNode }) {
  const { mayChange, state } = useAssistants();
  const area = useArea();
  const toList = (
    <BackLink to={`${area}/$page`} params={{ page: "assistants" }}>
      {t("assistants.title")}
    </BackLink>
  );
  // Only administrators may load the assistant, so this waits for the session.
  if (state === "loading") {
    return (
      <Page title={title} above={toList}>
        <LoadingRows label={t("assistants.loading")} />
      </Page>
    );
  }
  return (
    <Page title={title} above={toList}>
      {state === "ready" && !mayChange ? (
        <Notice title={t("assistant.notYours")} text={t("assistant.notYoursText")} />
      ) : (
        children
      )}
    </Page>
  );
}

function useLeaving(): { toList: () => void; saved: (name: string) => () => void } {
  const navigate = useNavigate();
  const area = useArea();
  const toList = async () => await navigate({ to: `${area}/$page`, params: { page: "assistants" } });
  return {
    toList: () => void toList(),
    saved: (name) => () => void toList().then(() => showToast(t("assistant.saved", { name }))),
  };
}

function Create() {
  const { models } = useModels();
  const actions = useAssistantActions();
  const { toList, saved } = useLeaving();
  // The client creates the id, so that a repeated save does not create a second assistant.
  const [id] = useState(() => newId("assistant"));
  return (
    <AssistantEditor
      first={emptyAssistantForm}
      models={models}
      saveLabel={t("assistant.create")}
      onCancel={toList}
      onSave={async (form) => saved((await actions.create({ id, ...assistantBodyOf(form) })).name)}
    />
  );
}

function Edit({ id }: { id: string }) {
  const { models } = useModels();
  const actions = useAssistantActions();
  const { found, state, failure, retry } = useAssistant(id);
  const { toList, saved } = useLeaving();
  if (state === "loading") return <LoadingRows label={t("assistants.loading")} />;
  if (found === undefined) {
    const isMissing = state === "missing";
    return (
      <Notice
        tone={isMissing ? "quiet" : "danger"}
        title={t(isMissing ? "assistant.missing" : "assistants.failed")}
        text={failure?.message}
        action={
          isMissing ? { label: t("assistant.toList"), run: toList } : { label: t("action.retry"), run: retry }
        }
      />
    );
  }
  return (
    <AssistantEditor
      first={assistantFormOf(found.assistant, found.settings)}
      models={models}
      saveLabel={t("action.save")}
      onCancel={toList}
      onSave={async (form) => saved((await actions.update(id, assistantBodyOf(form))).name)}
    />
  );
}
