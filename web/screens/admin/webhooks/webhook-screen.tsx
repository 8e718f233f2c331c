import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import type { Webhook, WebhookDelivery } from "#contract/webhooks/endpoints.ts";
import { useDeliveries, useWebhooks } from "#web/data/console/webhooks.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showFailure, showOutcome, showToast } from "#web/ui/toast.tsx";
import { printDay, printRecent, t } from "#web/i18n/translate.ts";
import { ListContent } from "../../list-content.tsx";
import { BackLink, Page } from "../../page.tsx";
import { Rows } from "../../rows.tsx";
import screenStyles from "../../screen.module.css";
import { Banner } from "../console/banner.tsx";
import { Json } from "../console/console-messages.tsx";
import { SecretDialog, WebhookForm } from "./webhook-form.tsx";
import styles from "./webhooks.module.css";

/** A webhook: its address and events, its secret, and what was sent. */
export function WebhookScreen({ appId, webhookId }: { appId: string; webhookId: string }) {
  const list = useWebhooks(appId);
  const webhook = list.webhooks.find(({ id }) => id === webhookId);
  return (
    <Page
      title={webhook === undefined ? t("webhooks.one") : new URL(webhook.url).host}
      above={
        <BackLink to="/admin/apps/$appId/$view" params={{ appId, view: "webhooks" }}>
          {t("console.webhooks")}
        </BackLink>
      }
    >
      <ListContent
        list={list}
        isEmpty={webhook === undefined}
        loadingLabel={t("webhooks.loading")}
        failedTitle={t("webhooks.failed")}
        empty={[t("webhooks.missing")]}
      >
        {webhook !== undefined && (
          <>
            <State webhook={webhook} list={list} />
            <WebhookForm
              key={`${webhook.url} ${webhook.events.join()}`}
              first={{ url: webhook.url, events: webhook.events }}
              saveLabel={t("action.save")}
              onSave={async (values) => {
                await list.change(webhook.id, { ...values, is_on: webhook.is_on });
                return () => showToast(t("webhooks.saved"));
              }}
            />
            <Secret webhook={webhook} list={list} />
            <Deliveries appId={appId} webhook={webhook} />
            <Removal appId={appId} webhook={webhook} list={list} />
          </>
        )}
      </ListContent>
    </Page>
  );
}

type List = ReturnType<typeof useWebhooks>;

/** Why it is off, with the button that turns it on. */
function State({ webhook, list }: { webhook: Webhook; list: List }) {
  const { id, url, events, off_reason: reason, failing_since: since } = webhook;
  if (reason === null)
    return (
      since !== null && (
        <p className={screenStyles["about"]}>
          <span className={screenStyles["mark"]} data-tone="danger">
            {t("webhooks.failing", { day: printDay(new Date(since)) })}
          </span>
        </p>
      )
    );
  return (
    <Banner
      tone={reason === "person" ? "quiet" : "danger"}
      title={t(`webhookOff.${reason}`)}
      text={t(reason === "secret-missing" ? "webhooks.secretMissingText" : "webhooks.offText")}
      action={{
        label: t("webhooks.turnOn"),
        run: () => showOutcome(list.change(id, { url, events, is_on: true }), t("webhooks.turnedOn")),
      }}
    />
  );
}

function Secret({ webhook, list }: { webhook: Webhook; list: List }) {
  const [secret, setSecret] = useState<string>();
  const { confirm, dialog } = useConfirmation();
  const { former_secret_until: until } = webhook;
  return (
    <section aria-labelledby="webhook-secret">
      <h2 id="webhook-secret" className={screenStyles["heading"]}>
        {t("webhooks.secret")}
      </h2>
      <p className={screenStyles["about"]}>
        {until === null
          ? t("webhooks.secretAbout")
          : t("webhooks.bothSecrets", { day: printRecent(new Date(until), new Date()) })}
      </p>
      <Button
        onClick={() =>
          confirm({
            text: t("webhooks.rotateAsk"),
            label: t("webhooks.rotate"),
            run: async () => {
              setSecret(await list.rotateSecret(webhook.id));
              return undefined;
            },
          })
        }
      >
        {t("webhooks.rotate")}
      </Button>
      {secret !== undefined && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
      {dialog}
    </section>
  );
}

function Deliveries({ appId, webhook }: { appId: string; webhook: Webhook }) {
  const list = useDeliveries(appId, webhook.id);
  return (
    <section aria-labelledby="webhook-deliveries">
      <div className={styles["head"]}>
        <h2 id="webhook-deliveries" className={screenStyles["heading"]}>
          {t("webhooks.deliveries")}
        </h2>
        {webhook.is_on && (
          <Button onClick={() => showOutcome(list.sendTest(), t("webhooks.testSent"))}>
            {t("webhooks.sendTest")}
          </Button>
        )}
      </div>
      <p className={screenStyles["about"]}>{t("webhooks.deliveriesAbout")}</p>
      <Rows
        list={list}
        rows={list.deliveries}
        loadingLabel={t("console.loadingPart")}
        failedTitle={t("console.failedPart")}
        empty={[t("webhooks.noDeliveries"), t("webhooks.noDeliveriesHint")]}
      >
        {(delivery) => (
          <DeliveryRow
            delivery={delivery}
            onSendAgain={
              webhook.is_on
                ? () => showOutcome(list.sendAgain(delivery.id), t("webhooks.sentAgain"))
                : undefined
            }
          />
        )}
      </Rows>
    </section>
  );
}

function DeliveryRow({
  delivery,
  onSendAgain,
}: {
  delivery: WebhookDelivery;
  onSendAgain: (() => void) | undefined;
}) {
  const { state, problem, type, attempts, response_status: status, response_text: text } = delivery;
  const name = t(`webhookEvent.${type as "webhook.test"}`);
  const print = (time: string) => printRecent(new Date(time), new Date());
  return (
    <li className={`${screenStyles["row"]} ${styles["delivery"]}`}>
      <span className={screenStyles["words"]}>
        <span className={screenStyles["name"]}>{name}</span>
        <span className={screenStyles["mark"]} data-tone={state === "failed" ? "danger" : undefined}>
          {t(`deliveryState.${state}`)}
        </span>
        <span className={screenStyles["facts"]}>
          <time dateTime={delivery.created_at}>{print(delivery.created_at)}</time>
          {problem !== null && <span>{t(`deliveryProblem.${problem}`, { status: String(status) })}</span>}
          {attempts > 0 && <span>{t("webhooks.attempts", { count: attempts })}</span>}
          {delivery.next_attempt_at !== null && attempts > 0 && (
            <span>{t("webhooks.nextAttempt", { time: print(delivery.next_attempt_at) })}</span>
          )}
        </span>
        <div className={styles["answer"]}>
          <Json
            label={t("webhooks.answer")}
            value={{
              id: delivery.id,
              type,
              data: delivery.data,
              response_status: status,
              response_text: text,
            }}
          />
        </div>
      </span>
      {onSendAgain !== undefined && state !== "pending" && (
        <Button aria-label={t("webhooks.sendAgainNamed", { name })} onClick={onSendAgain}>
          {t("webhooks.sendAgain")}
        </Button>
      )}
    </li>
  );
}

/** Turns it off, or deletes it. */
function Removal({ appId, webhook, list }: { appId: string; webhook: Webhook; list: List }) {
  const navigate = useNavigate();
  const { confirm, dialog } = useConfirmation();
  const { id, url, events } = webhook;
  return (
    <div className={screenStyles["buttons"]}>
      {webhook.is_on && (
        <Button
          onClick={() => showOutcome(list.change(id, { url, events, is_on: false }), t("webhooks.turnedOff"))}
        >
          {t("webhooks.turnOff")}
        </Button>
      )}
      <Button
        look="danger"
        onClick={() =>
          confirm({
            text: t("webhooks.deleteAsk"),
            label: t("action.delete"),
            run: async () => {
              await navigate({ to: "/admin/apps/$appId/$view", params: { appId, view: "webhooks" } });
              await list.remove(id).catch(showFailure);
              return t("webhooks.deleted");
            },
          })
        }
      >
        {t("action.delete")}
      </Button>
      {dialog}
    </div>
  );
}
