/// The page's style and script. Both are constant: dynamic parts would change their hashes in the content security policy.
enum InventoryStyle {
  static let css = #"""
    :root{color-scheme:light dark;--bg:#fff;--panel:#f6f7f9;--text:#1b1f24;--muted:#57606a;--line:#dfe3e8;--red:#b3261e;--amber:#875200;--blue:#0b5cad;--green:#1a6b3c;--bar:#6b8fb8}
    @media screen and (prefers-color-scheme:dark){:root{--bg:#101317;--panel:#181c22;--text:#e4e7eb;--muted:#9aa4b0;--line:#2b313a;--red:#ff938a;--amber:#eeb464;--blue:#8dbcf7;--green:#82d3a3;--bar:#587ba6}}
    *{box-sizing:border-box}
    [hidden]{display:none!important}
    html{scroll-behavior:smooth;scroll-padding-top:12px;-webkit-text-size-adjust:100%}
    @media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
    body{margin:0 auto;padding:24px 24px 48px;max-width:1180px;background:var(--bg);color:var(--text);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
    code,#map li,#keys th[scope=row]{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
    h1{margin:0;font-size:20px;font-weight:650;letter-spacing:-.01em}
    h2{margin:0;font-size:16px;font-weight:650}
    h3{margin:0;font-size:14px;font-weight:600}
    p,ul,dl{margin:0;padding:0}
    ul{list-style:none}
    small,h3 span,.head p,dt,footer{color:var(--muted);font-size:12.5px;font-weight:400}
    a{color:inherit}
    a:focus-visible,input:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
    .skip{position:absolute;left:-999px}
    .skip:focus{position:static}
    header dl{display:flex;flex-wrap:wrap;gap:4px 28px;margin:8px 0 20px}
    dd{margin:0}
    nav ul{display:grid;grid-template-columns:repeat(7,1fr);gap:1px;background:var(--line);border:1px solid var(--line);border-radius:8px;overflow:hidden}
    nav a{display:block;height:100%;padding:10px 14px;background:var(--bg);color:var(--muted);font-size:12.5px;text-decoration:none}
    nav a:hover{background:var(--panel)}
    nav a:focus-visible{outline-offset:-2px}
    nav b{display:block;color:var(--text);font-size:20px;font-weight:600;line-height:1.25}
    nav .broken b,.over,.broken .level,.unchecked .level{color:var(--red)}
    nav .pending b,td.soon,.pending .level,.warning .level{color:var(--amber)}
    nav .soon b,.soon .level{color:var(--blue)}
    .good{color:var(--green)}
    .idle{color:var(--muted)}
    td.over small,td.soon small{color:inherit}
    section{margin-top:36px}
    .head{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:4px 16px;margin-bottom:8px;padding-bottom:6px;border-bottom:1px solid var(--line)}
    article{padding:10px 0 12px;border-bottom:1px solid var(--line)}
    article h3{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 8px;margin-bottom:4px}
    article>p,#attention ul{padding-left:92px}
    .level{display:inline-block;width:84px;font-weight:600}
    h3 span.level{font-size:12.5px;font-weight:600}
    #attention .n,#map .n{min-width:20px;padding:0 6px;border-radius:10px;background:var(--panel);text-align:center}
    #attention li{padding:1px 0}
    #attention li span,.why,.more{color:var(--muted)}
    .fix{margin-top:4px}
    .fix span{margin-right:4px;color:var(--muted)}
    .fix code,td code{padding:1px 5px;border-radius:4px;background:var(--panel)}
    table{width:100%;border-collapse:collapse}
    th,td{padding:5px 20px 5px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:baseline;font-weight:400}
    thead th,thead td{padding-top:2px;color:var(--muted);font-size:12.5px;white-space:nowrap}
    tbody tr:hover{background:var(--panel)}
    em{margin-left:4px;color:var(--amber);font:12.5px/1.5 system-ui,sans-serif;font-style:normal}
    #keys td:nth-child(3),#expiry td:nth-child(2),#keys thead th:nth-child(3),#expiry thead th:nth-child(2){text-align:right}
    #keys td:nth-child(4),#keys td:nth-child(5),#runs th,#accounts td:nth-child(5),#expiry th{white-space:nowrap}
    #accounts tbody th,#accounts td:nth-child(3){white-space:nowrap}
    #expiry th:first-child{width:140px}
    #expiry thead th:nth-child(2){width:56px}
    #expiry thead td{width:176px}
    #expiry tbody td:nth-child(3){padding-top:11px}
    #expiry svg{display:block}
    rect{fill:var(--bar)}
    #expiry tbody span{display:inline-block;margin-right:14px;color:var(--muted)}
    #expiry td code{padding:0;background:none}
    #expiry tbody .soon,#expiry tbody .soon time{color:var(--amber)}
    #runs th:first-child{width:196px}
    form label{color:var(--muted);font-size:12.5px}
    input{width:220px;padding:3px 8px;border:1px solid var(--muted);border-radius:6px;background:var(--bg);color:var(--text);font:inherit}
    output{color:var(--muted);font-size:12.5px}
    #map ul{display:grid;grid-template-columns:repeat(auto-fill,minmax(330px,1fr));gap:0 28px}
    #map li{padding:1px 0}
    #map li b{font-weight:400;color:var(--muted)}
    #map li b::before{content:"← "}
    footer{margin-top:40px}
    @media screen and (max-width:760px){
    body{padding:16px 16px 32px}
    nav ul{grid-template-columns:repeat(4,1fr)}
    nav a{padding:8px;overflow-wrap:normal}
    nav li:last-child{grid-column:span 2}
    article>p,#attention ul{padding-left:0}
    .level{width:auto}
    section{margin-top:28px}
    #keys thead,#accounts thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
    #keys tr,#accounts tr{display:grid;grid-template-columns:minmax(0,4fr) minmax(0,5fr);gap:0 12px;padding:6px 0;border-bottom:1px solid var(--line)}
    #keys tbody>tr>*,#accounts tbody>tr>*{display:block;padding:0;border:0;text-align:left;white-space:normal}
    #keys tbody td:nth-child(3){text-align:left}
    #keys td:nth-child(odd){grid-column:2}
    #keys td:nth-child(even){grid-column:1}
    #keys tbody th,#accounts tbody th,#accounts td:nth-child(4),#accounts td:nth-child(6){grid-column:1/-1}
    #keys td:nth-child(n+3)::before,#accounts td:nth-child(5)::before{color:var(--muted);font-size:12.5px}
    #keys td:nth-child(3)::before{content:"version "}
    #keys td:nth-child(4)::before{content:"stored "}
    #keys td:nth-child(5)::before{content:"expires "}
    #keys td:nth-child(6)::before{content:"slots "}
    #keys td:nth-child(7)::before{content:"targets "}
    #accounts td:nth-child(5)::before{content:"sign-in expires "}
    #keys td:empty,#accounts td:empty{display:none}
    #expiry thead,#expiry td:nth-child(3){display:none}
    #expiry tr{display:grid;grid-template-columns:1fr auto;padding:6px 0;border-bottom:1px solid var(--line)}
    #expiry tbody>tr>*{padding:0;border:0}
    #expiry tbody>tr>td:last-child{grid-column:1/-1}
    #map ul{grid-template-columns:1fr}
    form,input{width:100%}
    }
    @media print{
    @page{margin:14mm}
    body{max-width:none;padding:0;font-size:9pt}
    .skip,form{display:none}
    #expiry thead td{width:80px}
    article,tr,li{break-inside:avoid}
    h2,h3{break-after:avoid}
    section{margin-top:20px}
    rect{print-color-adjust:exact;-webkit-print-color-adjust:exact}
    }
    """#

  /// Filters the keys. Without it the page has no filter, and is otherwise complete.
  static let script = #"""
    "use strict";
    {
    const form=document.getElementById("filter");
    if(form){
    const input=form.querySelector("input"),output=form.querySelector("output"),rows=[...document.querySelectorAll("#keys tbody tr")];
    form.hidden=false;
    form.addEventListener("submit",event=>event.preventDefault());
    input.addEventListener("input",()=>{
    const words=input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count=0;
    for(const row of rows){const text=row.textContent.toLowerCase();row.hidden=!words.every(word=>text.includes(word));if(!row.hidden)count+=1}
    output.textContent=words.length?count+" of "+rows.length:"";
    });
    }
    }
    """#
}
