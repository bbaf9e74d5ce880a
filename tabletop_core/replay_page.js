"use strict";

// data.lines: lines of SVG. data.steps: for each picture where its lines are, as start and length
// of runs, one after the other. data.titles and data.log: words for each picture.
const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const end = data.steps.length - 1;
let step = 0;
let timer = null;

function picture(runs) {
  const lines = [];
  for (let k = 0; k < runs.length; k += 2) {
    lines.push(...data.lines.slice(runs[k], runs[k] + runs[k + 1]));
  }
  return lines.join("\n");
}

function show(wanted) {
  step = Math.min(Math.max(wanted, 0), end);
  element("board").innerHTML = picture(data.steps[step]);
  element("board").setAttribute("aria-label", data.titles[step]);
  element("slider").value = step;
  element("counter").textContent = `Step ${step} of ${end}. ${data.titles[step]}`;
  element("first").disabled = element("back").disabled = step === 0;
  element("forward").disabled = element("last").disabled = step === end;
  const entries = element("log").children;
  for (const entry of element("log").querySelectorAll("[aria-current]")) {
    entry.removeAttribute("aria-current");
  }
  entries[step].setAttribute("aria-current", "step");
  entries[step].scrollIntoView({ block: "nearest" });
  if (step === end) pause();
}

function pause() {
  clearTimeout(timer);
  timer = null;
  element("play").textContent = "Play";
}

function tick() {
  timer = setTimeout(tick, Number(element("pace").value));
  show(step + 1);
}

function togglePlay() {
  if (timer !== null) {
    pause();
    return;
  }
  if (step === end) show(0);
  element("play").textContent = "Pause";
  timer = setTimeout(tick, Number(element("pace").value));
}

const keys = {
  ArrowLeft: () => show(step - 1),
  ArrowRight: () => show(step + 1),
  Home: () => show(0),
  End: () => show(end),
  " ": togglePlay,
};

data.log.forEach((words, k) => {
  const entry = document.createElement("li");
  entry.textContent = k === 0 && words === "" ? "start" : words;
  entry.addEventListener("click", () => show(k));
  element("log").append(entry);
});
element("slider").max = end;
element("slider").addEventListener("input", () => show(Number(element("slider").value)));
element("first").addEventListener("click", keys.Home);
element("back").addEventListener("click", keys.ArrowLeft);
element("forward").addEventListener("click", keys.ArrowRight);
element("last").addEventListener("click", keys.End);
element("play").addEventListener("click", togglePlay);
document.addEventListener("keydown", (event) => {
  const isTyping = ["SELECT", "INPUT", "BUTTON"].includes(event.target.tagName);
  const moves = event.key.startsWith("Arrow") && event.target.tagName === "SELECT";
  if (!(event.key in keys) || moves || (isTyping && event.key === " ")) return;
  event.preventDefault();
  keys[event.key]();
});
show(0);
