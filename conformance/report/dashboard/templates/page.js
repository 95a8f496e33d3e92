"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const form = document.querySelector(".filter");
  const fields = { q: $("q"), o: $("fo"), d: $("fd"), s: $("fs"), c: $("fc") };
  const groups = [...document.querySelectorAll(".group")];
  const cases = groups.map((group) =>
    [...group.querySelectorAll(".k")].map((element) => ({
      element,
      o: element.dataset.o.split("\n"),
      d: element.dataset.d.split("\n"),
      l: element.dataset.l,
      text: null,
    })),
  );
  const total = cases.reduce((sum, found) => sum + found.length, 0);
  const text = (item) => {
    if (item.text === null) {
      const messages = [...item.element.querySelectorAll("summary, p, pre")];
      item.text = messages.map((each) => each.textContent).join(" ").toLowerCase();
    }
    return item.text;
  };
  const outcome = (letters, wanted, column) => {
    const seen = column === "" ? letters : letters[column];
    return wanted === "!" ? /[^P-]/.test(seen) : seen.includes(wanted);
  };
  const apply = () => {
    const q = fields.q.value.trim().toLowerCase();
    const { value: o } = fields.o, { value: d } = fields.d, { value: s } = fields.s, { value: c } = fields.c;
    const all = !q && !o && !d && !s;
    let count = 0;
    groups.forEach((group, position) => {
      let shown = 0;
      for (const item of cases[position]) {
        const fits = all || ((!o || item.o.includes(o)) && (!d || item.d.includes(d)) &&
          (!s || outcome(item.l, s, c)) && (!q || text(item).includes(q)));
        item.element.hidden = !fits;
        shown += fits;
      }
      group.hidden = shown === 0;
      group.dataset.shown = shown;
      count += shown;
    });
    for (const group of groups) {
      if (all) group.open = false;
      else if (!group.hidden) group.open = count <= 300;
    }
    $("count").textContent = all ? `${total}` : `${count} of ${total}`;
  };
  let timer = 0;
  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 60); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply, 0));
  form.hidden = false;
  document.querySelector(".grid").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-o]");
    if (!link) return;
    event.preventDefault();
    form.reset();
    fields.o.value = link.dataset.o;
    fields.d.value = link.dataset.d || "";
    clearTimeout(timer);
    setTimeout(() => { apply(); $("cases").scrollIntoView(); fields.q.focus({ preventScroll: true }); }, 1);
  });
  const reveal = () => {
    const element = location.hash.length > 1 ? $(decodeURIComponent(location.hash.slice(1))) : null;
    if (!element || !element.closest(".group")) return;
    const one = element.closest(".k");
    if (one && one.hidden) { form.reset(); apply(); }
    element.closest(".group").open = true;
    if (one) one.open = true;
    element.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
