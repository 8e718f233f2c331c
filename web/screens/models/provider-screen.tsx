import { useState } from "react";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ProviderInfo } from "#contract/endpoints/providers.ts";
import { providerKinds, type ProviderKindId } from "#contract/provider-kinds.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { useProviderActions, useProviders } from "#web/data/assistants/providers.ts";
import { useCan } from "#web/data/session/session.ts";
import { Notice } from "#web/ui/notice.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { LoadingRows } from "../list-content.tsx";
import { BackLink, Page } from "../page.tsx";
import { createBodyOf, emptyProviderForm, providerFormOf, updateBodyOf } from "./provider-form.ts";
import { OllamaModels } from "./ollama-models.tsx";
import { ProviderEditor } from "./provider-editor.tsx";

/** `/settings/models/new`. */
export function NewProviderScreen() {
  const { kind, name, url } = useSearch({ strict: false });
  const shown = kind ?? "openai-compatible";
  const title =
    shown === "openai-compatible" && name === undefined
      ? t("provider.compatibleNew")
      : t("providers.new", { name: name ?? providerKinds[shown].name });
  return (
    <ProviderPage title={title}>
      <Create key={shown} kind={shown} name={name} url={url} />
    </ProviderPage>
  );
}

/** `/settings/models/:providerId`. */
export function ProviderScreen() {
  const { providerId = "" } = useParams({ strict: false });
  return (
    <ProviderPage title={t("providers.edit")}>
      <Edit key={providerId} id={providerId} />
    </ProviderPage>
  );
}

function ProviderPage({ title, children }: { title: string; children: React.ReactNode }) {
  const isAllowed = useCan("models.manage");
  return (
    <Page
      title={title}
      above={
        <BackLink to="/settings/$page" params={{ page: "models" }}>
          {t("providers.title")}
        </BackLink>
      }
    >
      {isAllowed === undefined && <LoadingRows label={t("providers.loading")} />}
      {isAllowed === false && <Notice title={t("providers.notYours")} text={t("assistant.notYoursText")} />}
      {isAllowed === true && children}
    </Page>
  );
}

function useToList(): () => void {
  const navigate = useNavigate();
  return () => void navigate({ to: "/settings/$page", params: { page: "models" } });
}

function Create({
  kind,
  name,
  url,
}: {
  kind: ProviderKindId;
  name: string | undefined;
  url: string | undefined;
}) {
  const actions = useProviderActions();
  const navigate = useNavigate();
  const { models } = useModels();
  const toList = useToList();
  const isFirst = models.every(({ provider }) => provider === "builtin");
  return (
    <ProviderEditor
      first={emptyProviderForm(kind, {
        ...(name === undefined ? {} : { name }),
        ...(url === undefined ? {} : { baseUrl: url }),
      })}
      listed={[]}
      saveLabel={t("providers.connect")}
      onCancel={toList}
      onSave={async (form) => {
        const { name: saved, state } = await actions.create(createBodyOf(form));
        showToast(t("providers.connected", { name: saved }));
        // With the first model, people want to chat.
        return isFirst && state === "ready" ? () => void navigate({ to: "/" }) : toList;
      }}
    />
  );
}

function Edit({ id }: { id: string }) {
  const { providers, state, failure, retry } = useProviders(true);
  const toList = useToList();
  if (state === "loading") return <LoadingRows label={t("providers.loading")} />;
  const found = providers.find(
    (provider) => provider.id === id && (!provider.from_environment || provider.kind === "ollama"),
  );
  if (found === undefined) {
    return (
      <Notice
        tone={state === "failed" ? "danger" : "quiet"}
        title={t(state === "failed" ? "providers.failed" : "providers.missing")}
        text={failure?.message}
        action={
          state === "failed"
            ? { label: t("action.retry"), run: retry }
            : { label: t("providers.toList"), run: toList }
        }
      />
    );
  }
  return (
    <>
      {!found.from_environment && <EditForm provider={found} onLeave={toList} />}
      {found.kind === "ollama" && <OllamaModels provider={found} />}
    </>
  );
}

function EditForm({ provider, onLeave }: { provider: ProviderInfo; onLeave: () => void }) {
  const actions = useProviderActions();
  // The version that was read when the form opened: a later change by another owner must be noticed.
  const [opened] = useState(provider);
  return (
    <ProviderEditor
      stored={opened}
      first={providerFormOf(opened)}
      listed={opened.listed}
      saveLabel={t("action.save")}
      onCancel={onLeave}
      onSave={async (form) => {
        const { name } = await actions.update(opened.id, updateBodyOf(form, opened.version));
        showToast(t("assistant.saved", { name }));
        return onLeave;
      }}
    />
  );
}
