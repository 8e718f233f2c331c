import { useState } from "react";
import type { JwtRule } from "#contract/endpoints/console.ts";
import { ruleAlgorithms, type RuleAlgorithm } from "#contract/accounts/rule-algorithms.ts";
import { limits } from "#contract/limits.ts";
import { useApp } from "#web/data/console/console.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { printList, t } from "#web/i18n/translate.ts";
import { Form } from "../../form/form.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm, type OnSave } from "../../form/use-form.ts";
import { List } from "../../list.tsx";
import { asCode, Row } from "../../row.tsx";
import screenStyles from "../../screen.module.css";

/** The sign-in providers whose tokens an app accepts. */
export function JwtRules({ appId }: { appId: string }) {
  const { app, addRule, removeRule } = useApp(appId);
  const [isAdding, setAdding] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { confirm, dialog } = useConfirmation();
  if (app === undefined) return null;

  async function add(values: RuleValues): Promise<() => void> {
    const { keys_problem: keysProblem } = await addRule(bodyOf(values));
    return () => {
      setAdding(false);
      setProblem(keysProblem ?? undefined);
      if (keysProblem === null) showToast(t("console.ruleAdded"));
    };
  }

  return (
    <section aria-labelledby="app-rules">
      <h2 id="app-rules" className={screenStyles["heading"]}>
        {t("console.rules")}
      </h2>
      <p className={screenStyles["about"]}>{t("console.rulesAbout")}</p>
      {problem !== undefined && <Notice tone="danger" title={t("console.ruleProblem")} text={problem} />}
      {app.jwt_rules.length > 0 && (
        <List>
          {app.jwt_rules.map((rule) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              onRemove={() =>
                confirm({
                  text: t("console.removeRuleAsk"),
                  label: t("console.remove"),
                  run: async () => {
                    await removeRule(rule.id);
                    setProblem(undefined);
                    return t("console.removed");
                  },
                })
              }
            />
          ))}
        </List>
      )}
      {isAdding ? (
        <RuleForm onAdd={add} onCancel={() => setAdding(false)} />
      ) : (
        <Button onClick={() => setAdding(true)}>{t("console.addRule")}</Button>
      )}
      {dialog}
    </section>
  );
}

function RuleRow({ rule, onRemove }: { rule: JwtRule; onRemove(): void }) {
  return (
    <Row
      name={rule.issuer}
      isCode
      facts={[
        rule.audience === null
          ? t("console.anyAudience")
          : t("console.onlyAudience", { audience: rule.audience }),
        t("console.workspaceBy", { claim: rule.workspace_claim ?? "sub" }),
        asCode(rule.algorithms.join(", ")),
        asCode(rule.jwks_url),
      ]}
    >
      <Button aria-label={t("console.removeNamed", { name: rule.issuer })} onClick={onRemove}>
        {t("console.remove")}
      </Button>
    </Row>
  );
}

type RuleValues = { issuer: string; jwks: string; audience: string; claim: string; algorithms: string };
const empty: RuleValues = { issuer: "", jwks: "", audience: "", claim: "", algorithms: "RS256" };

function algorithmsOf(text: string): (RuleAlgorithm | undefined)[] {
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== "")
    .map((word) => ruleAlgorithms.find((algorithm) => algorithm === word));
}

function bodyOf({ issuer, jwks, audience, claim, algorithms }: RuleValues) {
  const orNull = (text: string) => (text.trim() === "" ? null : text.trim());
  return {
    issuer: issuer.trim(),
    jwks_url: jwks.trim(),
    audience: orNull(audience),
    workspace_claim: orNull(claim),
    algorithms: algorithmsOf(algorithms).filter((each) => each !== undefined),
  };
}

function mistakesOf({ issuer, jwks, algorithms }: RuleValues) {
  const chosen = algorithmsOf(algorithms);
  return {
    ...(issuer.trim() === "" ? { issuer: t("account.missing") } : {}),
    ...(URL.canParse(jwks.trim()) ? {} : { jwks: t("console.noUrl") }),
    ...(chosen.length === 0 || chosen.includes(undefined)
      ? { algorithms: t("console.noAlgorithm", { list: printList(ruleAlgorithms) }) }
      : {}),
  };
}

function RuleForm({ onAdd, onCancel }: { onAdd: OnSave<RuleValues>; onCancel(): void }) {
  const form = useForm<RuleValues>({ first: empty, mistakesOf, onSave: onAdd });
  const line = (name: keyof RuleValues) => ({
    isCode: true,
    maxLength: limits.nameCharacters,
    ...form.field(name),
  });
  return (
    <Form form={form} saveLabel={t("console.addRule")} onCancel={onCancel}>
      <TextField label={t("console.issuer")} hint={t("console.issuerHint")} {...line("issuer")} />
      <TextField label={t("console.jwks")} hint={t("console.jwksHint")} {...line("jwks")} />
      <TextField label={t("console.audience")} hint={t("console.audienceHint")} {...line("audience")} />
      <TextField label={t("console.claim")} hint={t("console.claimHint")} {...line("claim")} />
      <TextField label={t("console.algorithms")} hint={t("console.algorithmsHint")} {...line("algorithms")} />
    </Form>
  );
}
