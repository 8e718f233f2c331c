import { useState } from "react";
import Download from "lucide-react/icons/download";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import Trash from "lucide-react/icons/trash-2";
import X from "lucide-react/icons/x";
import type { ProviderInfo } from "#contract/endpoints/providers.ts";
import { modelPullsOf, type ModelPull } from "#web/data/assistants/model-pulls.ts";
import { useProviderActions } from "#web/data/assistants/providers.ts";
import { useServices } from "#web/data/provider.tsx";
import { Button, IconButton } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { printBytes, t } from "#web/i18n/translate.ts";
import { fieldStyles } from "../form/field.tsx";
import styles from "./ollama-models.module.css";

/** The id of a small model. */
const exampleModel = "llama3.2";

/** The models on an Ollama server: the owner downloads and deletes them. */
export function OllamaModels({ provider }: { provider: ProviderInfo }) {
  const modelPulls = modelPullsOf(useServices().session);
  const { refresh, removeModel } = useProviderActions();
  const { confirm, dialog } = useConfirmation();
  const [typed, setTyped] = useState("");
  const pulls = modelPulls.all.use().filter(({ providerId }) => providerId === provider.id);
  const start = (model: string) => void modelPulls.start(provider.id, model, () => void refresh());
  const remove = (model: string) =>
    confirm({
      text: t("ollama.removeAsk", { model }),
      label: t("ollama.remove"),
      async run() {
        await removeModel(provider.id, model);
        return t("providers.removed", { name: model });
      },
    });
  return (
    <section className={styles["models"]}>
      <h2 className="text-4 bold">{t("ollama.title")}</h2>
      <ul className={styles["list"]}>
        {provider.listed.map(({ id }) => (
          <li key={id} className={styles["row"]}>
            <bdi dir="ltr">{id}</bdi>
            <IconButton
              icon={Trash}
              size={16}
              tone="danger"
              label={t("ollama.removeNamed", { model: id })}
              onClick={() => remove(id)}
            />
          </li>
        ))}
        {pulls.map((pull) => (
          <Pull
            key={pull.model}
            pull={pull}
            onRetry={() => start(pull.model)}
            onCancel={() => modelPulls.cancel(pull)}
          />
        ))}
      </ul>
      <form
        className={styles["add"]}
        onSubmit={(event) => {
          event.preventDefault();
          const model = typed.trim();
          if (model === "") return;
          start(model);
          setTyped("");
        }}
      >
        <input
          type="text"
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          aria-label={t("ollama.name")}
          placeholder={exampleModel}
          value={typed}
          className={fieldStyles["input"]}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" icon={Download}>
          {t("ollama.download")}
        </Button>
      </form>
      <p className={fieldStyles["note"]}>{t("ollama.hint")}</p>
      {dialog}
    </section>
  );
}

function Pull({ pull, onRetry, onCancel }: { pull: ModelPull; onRetry(): void; onCancel(): void }) {
  const { model, status, completedBytes, totalBytes, failure } = pull;
  return (
    <li className={styles["row"]}>
      <div className={styles["pull"]}>
        <bdi dir="ltr">{model}</bdi>
        {failure === undefined ? (
          <>
            <progress
              aria-label={t("ollama.progressOf", { model })}
              {...(totalBytes === 0 ? {} : { max: totalBytes, value: completedBytes })}
            />
            <span className={styles["state"]}>
              {totalBytes === 0
                ? status
                : t("ollama.progress", {
                    done: printBytes(completedBytes),
                    total: printBytes(totalBytes),
                  })}
            </span>
          </>
        ) : (
          <span role="alert" className={styles["failure"]}>
            {failure.code === "provider-model-unknown" ? t("ollama.unknown") : failure.message}
          </span>
        )}
      </div>
      {failure !== undefined && (
        <IconButton icon={RotateCcw} size={16} label={t("action.retry")} onClick={onRetry} />
      )}
      <IconButton
        icon={X}
        size={16}
        label={t(failure === undefined ? "ollama.cancel" : "ollama.forget", { model })}
        onClick={onCancel}
      />
    </li>
  );
}
