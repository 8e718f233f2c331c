import { useState } from "react";
import type { AlertRule, AlertRulePut } from "#contract/alerts/endpoints.ts";
import { alertKinds } from "#contract/alerts/alerts.ts";
import { isEmail } from "#contract/accounts/email.ts";
import { limits } from "#contract/limits.ts";
import { useAlertRules } from "#web/data/console/alerts.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { currentLanguageTag } from "#web/i18n/load-language.ts";
import { printNumber, printRecent, t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { Form } from "../../form/form.tsx";
import { numberOf, numberText } from "../../form/numbers.ts";
import { SelectField } from "../../form/select-field.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { asCode, Row } from "../../row.tsx";
import { Rows } from "../../rows.tsx";
import screenStyles from "../../screen.module.css";
import { Banner } from "../console/banner.tsx";

/** The alert rules of an app. */
export function AlertsView({ appId }: { appId: string }) {
  const list = useAlertRules(appId);
  const [edited, setEdited] = useState<AlertRule | "new">();
  const { confirm, dialog } = useConfirmation();
  const close = () => setEdited(undefined);
  return (
    <>
      <p className={screenStyles["about"]}>{t("alerts.about")}</p>
      {list.isMailSet === false && <Banner title={t("alerts.noMail")} text={t("alerts.noMailText")} />}
      {edited === undefined ? (
        <>
          <Rows
            list={list}
            rows={list.rules}
            loadingLabel={t("alerts.loading")}
            failedTitle={t("alerts.failed")}
            empty={[t("alerts.empty"), t("alerts.emptyHint")]}
          >
            {(rule) => (
              <RuleRow
                rule={rule}
                onEdit={() => setEdited(rule)}
                onRemove={() =>
                  confirm({
                    text: t("alerts.deleteAsk"),
                    label: t("action.delete"),
                    run: async () => {
                      await list.remove(rule.id);
                      return t("alerts.deleted");
                    },
                  })
                }
              />
            )}
          </Rows>
          <Button className="above-3" onClick={() => setEdited("new")}>
            {t("alerts.add")}
          </Button>
        </>
      ) : (
        <RuleForm
          rule={edited === "new" ? undefined : edited}
          onSave={async (body) => {
            if (edited === "new") await list.create(body);
            else await list.change(edited.id, body);
            return () => {
              close();
              showToast(t("alerts.saved"));
            };
          }}
          onCancel={close}
        />
      )}
      {dialog}
    </>
  );
}

function nameOf({ kind, threshold }: AlertRule): string {
  return kind === "silence"
    ? t("alertRule.silence")
    : t(`alertRule.${kind}`, { limit: printNumber(threshold ?? 0) });
}

function RuleRow({ rule, onEdit, onRemove }: { rule: AlertRule; onEdit(): void; onRemove(): void }) {
  const { kind, value, alert_since: since } = rule;
  const name = nameOf(rule);
  return (
    <Row
      name={name}
      mark={
        <>
          {since !== null && (
            <span className={screenStyles["mark"]} data-tone="danger">
              {t("alerts.since", { time: printRecent(new Date(since), new Date()) })}
            </span>
          )}
          {!rule.is_on && <span className={screenStyles["mark"]}>{t("alerts.off")}</span>}
        </>
      }
      facts={[
        t("alerts.within", { count: rule.window_minutes }),
        kind !== "silence" &&
          value !== null &&
          t(`alertValue.${kind}`, { value: printNumber(Math.round(value * 100) / 100) }),
        rule.email !== null && asCode(rule.email),
      ]}
    >
      <span className={screenStyles["buttons"]}>
        <Button aria-label={t("alerts.editNamed", { name })} onClick={onEdit}>
          {t("action.edit")}
        </Button>
        <Button aria-label={t("alerts.deleteNamed", { name })} onClick={onRemove}>
          {t("action.delete")}
        </Button>
      </span>
    </Row>
  );
}

type Values = {
  kind: AlertRule["kind"];
  threshold: string;
  minutes: string;
  email: string;
  isOn: boolean;
};

function mistakesOf({ kind, threshold, minutes, email }: Values): Partial<Record<keyof Values, string>> {
  const limit = numberOf(threshold);
  const count = numberOf(minutes);
  const max = kind === "silence" ? limits.silenceMinutesMax : limits.alertWindowMinutesMax;
  const isNumber = limit !== undefined && limit >= 0;
  return {
    ...(kind === "silence" || isNumber ? {} : { threshold: t("alerts.wrongLimit") }),
    ...(kind === "error-rate" && !(isNumber && limit <= 100) ? { threshold: t("alerts.wrongPercent") } : {}),
    ...(Number.isInteger(count) && count! >= 5 && count! <= max
      ? {}
      : { minutes: t("alerts.wrongWindow", { max: printNumber(max) }) }),
    ...(email.trim() === "" || isEmail(email.trim()) ? {} : { email: t("alerts.wrongEmail") }),
  };
}

function RuleForm({
  rule,
  onSave,
  onCancel,
}: {
  rule: AlertRule | undefined;
  onSave(body: AlertRulePut): Promise<() => void>;
  onCancel(): void;
}) {
  const form = useForm<Values>({
    first: {
      kind: rule?.kind ?? "error-rate",
      threshold: numberText(rule?.threshold ?? (rule === undefined ? 20 : undefined)),
      minutes: numberText(rule?.window_minutes ?? 60),
      email: rule?.email ?? "",
      isOn: rule?.is_on ?? true,
    },
    mistakesOf,
    onSave: async ({ kind, threshold, minutes, email, isOn }) =>
      await onSave({
        kind,
        threshold: kind === "silence" ? null : numberOf(threshold)!,
        window_minutes: numberOf(minutes)!,
        email: email.trim() === "" ? null : email.trim(),
        language: currentLanguageTag(),
        is_on: isOn,
      }),
  });
  const { kind } = form.values;
  return (
    <Form form={form} saveLabel={rule === undefined ? t("alerts.add") : t("action.save")} onCancel={onCancel}>
      <SelectField
        label={t("alerts.what")}
        options={alertKinds.map((each) => [each, t(`alertKind.${each}`)] as const)}
        {...form.field("kind")}
      />
      {kind !== "silence" && (
        <TextField
          label={t(`alertLimit.${kind}`)}
          hint={t(`alertHint.${kind}`)}
          inputMode="decimal"
          {...form.field("threshold")}
        />
      )}
      <TextField
        label={t("alerts.window")}
        hint={t("alerts.windowHint")}
        inputMode="numeric"
        {...form.field("minutes")}
      />
      <TextField
        label={t("alerts.email")}
        hint={t("alerts.emailHint")}
        isCode
        inputMode="email"
        maxLength={limits.emailCharacters}
        {...form.field("email")}
      />
      <CheckField label={t("alerts.isOn")} {...form.checkbox("isOn")} />
    </Form>
  );
}
