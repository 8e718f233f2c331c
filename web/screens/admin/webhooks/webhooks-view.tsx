import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import type { Webhook } from "#contract/webhooks/endpoints.ts";
import { useWebhooks } from "#web/data/console/webhooks.ts";
import { Button } from "#web/ui/button.tsx";
import { printDay, t } from "#web/i18n/translate.ts";
import { Row } from "../../row.tsx";
import { Rows } from "../../rows.tsx";
import screenStyles from "../../screen.module.css";
import { SecretDialog, WebhookForm } from "./webhook-form.tsx";

/** The webhooks of an app. */
export function WebhooksView({ appId }: { appId: string }) {
  const list = useWebhooks(appId);
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<{ id: string; secret: string }>();
  return (
    <>
      <p className={screenStyles["about"]}>{t("webhooks.about")}</p>
      {isAdding ? (
        <WebhookForm
          saveLabel={t("webhooks.add")}
          onSave={async (values) => {
            const made = await list.create(values);
            return () => {
              setAdding(false);
              setCreated(made);
            };
          }}
          onCancel={() => setAdding(false)}
        />
      ) : (
        <>
          <Rows
            list={list}
            rows={list.webhooks}
            loadingLabel={t("webhooks.loading")}
            failedTitle={t("webhooks.failed")}
            empty={[t("webhooks.empty"), t("webhooks.emptyHint")]}
          >
            {(webhook) => <WebhookRow appId={appId} webhook={webhook} />}
          </Rows>
          <Button className="above-3" onClick={() => setAdding(true)}>
            {t("webhooks.add")}
          </Button>
        </>
      )}
      {created !== undefined && (
        <SecretDialog
          secret={created.secret}
          onClose={() =>
            void navigate({
              to: "/admin/apps/$appId/$view/$itemId",
              params: { appId, view: "webhooks", itemId: created.id },
            })
          }
        />
      )}
    </>
  );
}

function WebhookRow({ appId, webhook }: { appId: string; webhook: Webhook }) {
  return (
    <Row
      link={{
        to: "/admin/apps/$appId/$view/$itemId",
        params: { appId, view: "webhooks", itemId: webhook.id },
      }}
      name={webhook.url}
      isCode
      mark={<WebhookMark webhook={webhook} />}
      facts={[
        t("webhooks.eventCount", { count: webhook.events.length }),
        t("console.created", { day: printDay(new Date(webhook.created_at)) }),
      ]}
    />
  );
}

/** That it is off or failing. */
function WebhookMark({
  webhook: { is_on: isOn, off_reason: reason, failing_since: since },
}: {
  webhook: Webhook;
}) {
  if (isOn && since === null) return null;
  return (
    <span className={screenStyles["mark"]} data-tone={reason === "person" ? undefined : "danger"}>
      {isOn ? t("webhooks.failing", { day: printDay(new Date(since!)) }) : t("webhooks.off")}
    </span>
  );
}
