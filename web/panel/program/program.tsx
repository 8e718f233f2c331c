import { useRef, useState } from "react";
import Play from "lucide-react/icons/play";
import RotateCw from "lucide-react/icons/rotate-cw";
import Square from "lucide-react/icons/square";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { Console } from "./program-console.tsx";
import { SandboxFrame } from "./sandbox-frame.tsx";
import { type ProgramFailure, useProgram } from "./use-program.ts";
import styles from "./program.module.css";

/**
 * Runs a document of an answer in a sandboxed frame, only when the person says so. `onFix` gets an error that the program
 * reported; absent where nothing can be asked.
 */
export function Program({
  source,
  name,
  onFix,
}: {
  source: string;
  name: string;
  onFix: ((error: string) => void) | undefined;
}) {
  const [run, setRun] = useState(0);
  const [failure, setFailure] = useState<ProgramFailure>();
  const start = () => {
    setFailure(undefined);
    setRun((number) => number + 1);
  };
  if (run === 0 || failure !== undefined)
    return (
      <div className={styles["stage"]} role={failure === undefined ? undefined : "alert"}>
        <p className={styles["about"]}>{t(failure === undefined ? "program.about" : failures[failure])}</p>
        <Button look="strong" icon={failure === undefined ? Play : RotateCw} onClick={start}>
          {t(failure === undefined ? "program.run" : "program.again")}
        </Button>
        {failure !== undefined && failure !== "unloaded" && onFix !== undefined && (
          <Button onClick={() => onFix(t(failures[failure]))}>{t("program.fix")}</Button>
        )}
      </div>
    );
  return (
    <Running
      key={run}
      source={source}
      name={name}
      onFix={onFix}
      onAgain={start}
      onStop={setFailure}
      onEnd={() => setRun(0)}
    />
  );
}

const failures = {
  silent: "program.silent",
  memory: "program.memory",
  unloaded: "program.unloaded",
} as const;

function Running({
  source,
  name,
  onFix,
  onAgain,
  onStop,
  onEnd,
}: {
  source: string;
  name: string;
  onFix: ((error: string) => void) | undefined;
  onAgain(): void;
  onStop(failure: ProgramFailure): void;
  onEnd(): void;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { entries, clear, onLoad } = useProgram(frame, source, onStop, true);
  return (
    <>
      <SandboxFrame ref={frame} name={name} onLoad={onLoad} />
      <Console
        entries={entries}
        onClear={clear}
        onFix={onFix}
        actions={
          <>
            <Button look="plain" icon={RotateCw} onClick={onAgain}>
              {t("program.again")}
            </Button>
            <Button look="plain" icon={Square} onClick={onEnd}>
              {t("action.stop")}
            </Button>
          </>
        }
      />
    </>
  );
}
