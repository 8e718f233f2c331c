import { useEffect, useRef, useState } from "react";
import { useNavigate, useParams } from "@tanstack/react-router";
import { failureOf, type Failure } from "#web/data/failure.ts";
import { returnFromProvider } from "#web/data/session/provider-sign-in.ts";
import { useServices } from "#web/data/provider.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { LoadingRows } from "../list-content.tsx";
import { NoticePage, Page } from "../page.tsx";

/** `/sign-in/callback/:providerId`: where a provider sends the browser back. */
export function CallbackScreen() {
  const { providerId = "" } = useParams({ strict: false });
  const { session } = useServices();
  const navigate = useNavigate();
  const hasBegun = useRef(false);
  const [failure, setFailure] = useState<Failure>();
  const [isWaiting, setWaiting] = useState(false);

  useEffect(() => {
    // React runs effects twice in development.
    if (hasBegun.current) return;
    hasBegun.current = true;
    const { search } = location;
    // Not left in the address bar and the history.
    history.replaceState(history.state, "", location.pathname);
    async function finish(): Promise<void> {
      const { status, to } = await returnFromProvider(session.signInWith, providerId, search);
      if (status === "waiting") return setWaiting(true);
      if (status === "connected") showToast(t("account.connected"));
      return await navigate({ href: to, replace: true });
    }
    void finish().catch((error: unknown) => setFailure(failureOf(error)));
  }, [navigate, providerId, session]);

  if (failure !== undefined)
    return (
      <NoticePage>
        <Notice
          level="h1"
          tone="danger"
          title={t("account.providerFailed")}
          text={failure.message}
          action={{ label: t("account.signIn"), run: () => void navigate({ to: "/sign-in", replace: true }) }}
        />
      </NoticePage>
    );
  if (isWaiting)
    return (
      <NoticePage>
        <Notice level="h1" title={t("account.waiting")} text={t("account.waitingWhy")} />
      </NoticePage>
    );
  return (
    <Page title={t("account.signingIn")}>
      <LoadingRows label={t("account.signingIn")} />
    </Page>
  );
}
