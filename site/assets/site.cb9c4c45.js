window.tracefolio=(function(){
'use strict';
var KEY='tracefolio';
function make(name,className,text){
var node=document.createElement(name);
if(className)node.className=className;
if(text)node.textContent=text;
return node;
}
function remembered(){
try{
var found=JSON.parse(localStorage.getItem(KEY));
return found&&typeof found==='object'?found:{};
}catch(ignored){return{};}
}
function remember(name,value){
var all=remembered();
all[name]=value;
try{localStorage.setItem(KEY,JSON.stringify(all));}catch(ignored){return;}
}
function button(text,action){
var node=make('button','',text);
node.type='button';
node.addEventListener('click',action);
return node;
}
function searchField(name,box){
var label=make('label','',name + ' ');
var field=make('input');
field.type='search';
field.autocomplete='off';
label.appendChild(field);
box.appendChild(label);
return field;
}
function status(box){
var said=make('span','context');
said.setAttribute('role','status');
box.appendChild(said);
return said;
}
function wordsOf(text){
return text.toLowerCase().split(/\s+/).filter(Boolean);
}
function hasAll(text,words){
return words.every(function(word){return text.indexOf(word)>=0;});
}
function listOf(nodes){
return Array.prototype.slice.call(nodes);
}
function loadScript(path,variable,then){
var script=make('script');
script.src=path;
script.addEventListener('load',function(){then(window[variable]);});
script.addEventListener('error',function(){then(null);});
document.head.appendChild(script);
}
function told(key){
var found=new RegExp('[#,]' + key + '=([^,]*)').exec(location.hash);
try{return found?decodeURIComponent(found[1]):'';}catch(ignored){return'';}
}
function goesTo(text,instead){
if(location.hash===(text&&'#' + text))return;
try{history[instead?'replaceState':'pushState'](null,'',text?'#' + text:location.pathname + location.search);}catch(ignored){return;}
}
function settled(then){
function soon(){requestAnimationFrame(function(){requestAnimationFrame(then);});}
if(document.readyState==='complete')soon();
else window.addEventListener('load',soon);
}
return{told:told,goesTo:goesTo,settled:settled,make:make,remembered:remembered,remember:remember,button:button,searchField:searchField,
status:status,wordsOf:wordsOf,hasAll:hasAll,listOf:listOf,loadScript:loadScript};
})();
(function(base){
'use strict';
var make=base.make,remembered=base.remembered,remember=base.remember,button=base.button,searchField=base.searchField,status=base.status,wordsOf=base.wordsOf,hasAll=base.hasAll,listOf=base.listOf,loadScript=base.loadScript;
var SHOWN_ROWS=500;
var FILTER_FROM=8;
var tables=[];
function slugOf(text){
return text.split(',')[0].toLowerCase().replace(/[^a-z0-9]+/g,'-').replace(/^-|-$/g,'');
}
function rolesOf(heads){
var roles={time: -1,category: -1,finding: -1,replay: -1,said:[],names:[],numeric:[]};
heads.forEach(function(head,i){
var title=head.textContent.trim();
if(roles.time<0&&/^(total|time)\b.*, (ns|µs|ms|s)$/i.test(title))roles.time=i;
if(roles.category<0&&/^category\b/i.test(title))roles.category=i;
if(roles.finding<0&&/^finding\b/i.test(title))roles.finding=i;
if(/^replay/i.test(title))roles.replay=i;
roles.numeric.push(head.classList.contains('n'));
roles.names.push(roles.time===i?'time':slugOf(title));
roles.said.push(!roles.numeric[i]&&!/^(category|finding|bound|replay)\b/i.test(title));
});
roles.unit=roles.time<0?'':' ' + heads[roles.time].textContent.split(', ')[1];
return roles;
}
function numberIn(exact,text){
var number=exact?Number(exact):parseFloat(text.replace(/[\s\u2009\u202f]/g,''));
return isNaN(number)? -Infinity:number;
}
function categoryOf(label,href){
var page=/category-([a-z0-9-]+)/.exec(href||'');
return{id:page?page[1]:slugOf(label),label:label};
}
function isFinding(href){
return/#([a-z0-9-]+--)?f-/.test(href);
}
function entryHere(row,roles,make){
var text=null,mark=row.cells[roles.category]&&row.cells[roles.category].querySelector('.cat');
var page=mark&&mark.querySelector('a');
return{
node:make||function(){return row;},
category:mark?categoryOf((page||mark.lastChild).textContent.trim(),page&&page.getAttribute('href')):null,
finding:Boolean(row.cells[roles.finding])&&
listOf(row.cells[roles.finding].querySelectorAll('a')).some(function(link){return isFinding(link.getAttribute('href'));}),
text:function(){
if(text===null)text=listOf(row.cells).map(function(cell,i){return roles.said[i]?cell.textContent:'';}).join(' ').toLowerCase();
return text;
},
key:function(column){
var cell=row.cells[column];
if(!cell)return'';
var shown=cell.textContent.trim();
return roles.numeric[column]||cell.getAttribute('data-v')?numberIn(cell.getAttribute('data-v'),shown):shown.toLowerCase();
}
};
}
function namePut(node,name,full){
function code(text){
var shown=make('code','name');
shown.translate=false;
shown.dir='ltr';
(text.match(/[^,(:_]*[,(:_]*/g)||[]).forEach(function(part,i){
if(i&&part)shown.appendChild(make('wbr'));
shown.appendChild(document.createTextNode(part));
});
return shown;
}
node.appendChild(code(name));
if(!full)return;
var fold=make('details','long');
fold.appendChild(make('summary','','in full'));
fold.appendChild(code(full));
(node.closest('.one, .detail')||node).appendChild(fold);
}
function nameCell(cell){
var node=make('th'),one=make('div','one'),holder=one;
node.scope='row';
node.appendChild(one);
if(cell[2]){
holder=make('a','self');
holder.href=cell[2];
one.appendChild(holder);
}
namePut(holder,cell[0],cell[1]);
if(cell[3]){
var below=make('div','detail');
one.appendChild(below);
namePut(below,cell[3],cell[4]);
}
return node;
}
function linkTo(href,text){
var link=make('a','',text);
link.href=href;
return link;
}
function categoryMark(category){
var mark=make('span','cat b-' + category[0]);
mark.appendChild(make('b','',category[1]));
mark.appendChild(document.createTextNode(' '));
mark.appendChild(category[3]?linkTo(category[3],category[2]):document.createTextNode(category[2]));
return mark;
}
function cellBuilt(cell,categories,numeric,name){
var node=make('td',numeric?'n':'');
if(typeof cell==='number')node.appendChild(categoryMark(categories[cell]));
else if(typeof cell!=='string'){
cell.forEach(function(part){
var link=linkTo(part[1],part[0]);
if(name)link.appendChild(make('span','vh',' of ' + name));
node.append(link,' ');
});
}else if(numeric){
var parts=cell.split('|');
node.textContent=parts[0];
if(parts[1])node.setAttribute('data-v',parts[1]);
if(parts[2]){
var mark=make('span','sev sev-warning',parts[2].charAt(0));
mark.appendChild(make('span','vh',parts[2].slice(1)));
node.append(' ',mark);
}
}else node.textContent=cell;
return node;
}
function entryOfFile(cells,categories,roles){
var node=null,text=null,links=cells[roles.finding]||[];
var category=categories[cells[roles.category]];
return{
node:function(){
if(node)return node;
node=make('tr');
node.appendChild(nameCell(cells[0]));
cells.slice(1).forEach(function(cell,i){node.appendChild(cellBuilt(cell,categories,roles.numeric[i + 1],roles.finding===i + 1||roles.replay===i + 1?cells[0][0]:''));});
return node;
},
category:category?categoryOf(category[2],category[3]):null,
finding:links.some(function(part){return isFinding(part[1]);}),
text:function(){
if(text===null)text=cells.map(function(cell,i){
return!roles.said[i]?'':i===0?[cell[0],cell[1],cell[3],cell[4]].join(' '):[].concat(cell).map(function(part){return[].concat(part)[0];}).join(' ');
}).join(' ').toLowerCase();
return text;
},
key:function(column){
var cell=cells[column],parts=typeof cell==='string'?cell.split('|'):[];
if(roles.numeric[column])return numberIn(parts[1],parts[0]);
if(column===0)return cell[0].toLowerCase();
return(typeof cell==='number'?categories[cell][1] + ' ' + categories[cell][2]:typeof cell==='string'?cell:(cell[0]||[''])[0]).toLowerCase();
}
};
}
function compare(a,b){
if(typeof a===typeof b)return a<b? -1:a>b?1:0;
return typeof a==='number'? -1:1;
}
function rowsElsewhere(table){
return listOf(document.querySelectorAll('[data-more="' + table + '"]:not([data-of]) tbody')).reduce(function(all,body){
return all.concat(listOf(body.rows));
},[]);
}
function rowCopied(row,order){
var copy=row.cloneNode(true),cells=listOf(copy.cells),of=(row.getAttribute('data-c')||'').split(' ');
copy.removeAttribute('id');
if(!order)return copy;
copy.textContent='';
order.forEach(function(i){copy.appendChild(cells[i]||make('td','n',of[i - cells.length]));});
return copy;
}
function loadRows(table,roles,order,then){
if(document.body.classList.contains('single')){
then(rowsElsewhere(table).map(function(row){
var copy=order&&rowCopied(row,order),node=copy||null;
var entry=entryHere(copy||row,roles,function(){return node||(node=rowCopied(row));});
if(copy)entry.category=entryHere(row,{category:1,finding: -1}).category;
return entry;
}));
return;
}
function have(file){
then(file&&file.rows.map(function(cells,i){
var part=Math.floor(i/file.each);
cells[0][2]=file.page + (part?'-' + (part + 1):'') + '.html#' + cells[0][2];
var entry=entryOfFile(order?order.map(function(k){return cells[k];}):cells.slice(0,roles.names.length),file.categories,roles);
if(order)entry.category=categoryOf(file.categories[cells[1]][2],file.categories[cells[1]][3]);
return entry;
}));
}
loadScript(document.querySelector('script[src]').getAttribute('data-' + table),'tracefolioRows',have);
}
function timeText(v){
return v===0?'0':v.toFixed(v>=100?1:v>=1?2:3);
}
function tableTools(box){
var table=box.querySelector('table'),body=table.tBodies[0],foot=table.tFoot,pager=box.querySelector('.pager');
var heads=listOf(table.tHead.rows[0].cells),roles=rolesOf(heads);
var original=listOf(body.rows);
var here=original.map(function(row){return entryHere(row,roles);});
var more=box.getAttribute('data-more'),of=box.getAttribute('data-of'),all=null;
var order=box.hasAttribute('data-cells')?box.getAttribute('data-cells').split(' ').map(Number):null;
var state={s:'',c:'',f:'',q:''},tools=null,timer=0;
function wantAll(then){
if(!more||all){then();return;}
loadRows(more,roles,order,function(rows){
all=rows?rows.filter(function(entry){return!of||(entry.category&&entry.category.id===of);}):here;
if(tools)tools.offer(all);
then();
});
}
function isSet(){return Boolean(state.s||state.c||state.f||state.q);}
function found(pool){
var words=wordsOf(state.q),column=roles.names.indexOf(state.s.replace(/^-/,''));
var hits=pool.filter(function(entry){
return(!state.c||(entry.category&&entry.category.id===state.c))&&(!state.f||entry.finding)&&hasAll(entry.text(),words);
});
if(column<0)return hits;
var sign=state.s.charAt(0)==='-'? -1:1;
return hits.map(function(entry,i){return{entry:entry,key:entry.key(column),i:i};}).sort(function(a,b){
return sign*compare(a.key,b.key)||a.i - b.i;
}).map(function(one){return one.entry;});
}
function show(nodes){
var shown=document.createDocumentFragment();
nodes.forEach(function(row){
heads.forEach(function(head,i){if(row.cells[i])row.cells[i].hidden=head.hidden;});
shown.appendChild(row);
});
body.textContent='';
body.appendChild(shown);
}
function apply(){
if(isSet()&&more&&!all){wantAll(apply);return;}
var pool=isSet()&&more?all:here,hits=found(pool),whole=!isSet()||!more;
show((isSet()?whole?hits:hits.slice(0,SHOWN_ROWS):here).map(function(entry){return entry.node();}));
if(foot)foot.hidden=isSet();
if(pager)pager.hidden=isSet();
heads.forEach(function(head,i){
var order=state.s===roles.names[i]?'ascending':state.s==='-' + roles.names[i]?'descending':'';
if(order)head.setAttribute('aria-sort',order);
else head.removeAttribute('aria-sort');
});
if(tools)tools.tell(hits,pool,whole);
}
function change(key,value){
state[key]=value;
clearTimeout(timer);
if(key!=='q'||!more)apply();
else timer=setTimeout(apply,120);
keepState();
}
function clear(){
state.c=state.f=state.q='';
apply();
keepState();
tools.show(state);
}
heads.forEach(function(head,i){
if(head.colSpan>1)return;
var orders=[roles.names[i],'-' + roles.names[i]];
if(roles.numeric[i])orders.reverse();
var press=button(head.textContent,function(){change('s',orders[orders.indexOf(state.s) + 1]||'');});
head.textContent='';
head.appendChild(press);
});
if(box.hasAttribute('data-filter')&&(here.length>=FILTER_FROM||more))
tools=filterTools(box,here,roles,{change:change,clear:clear,first:function(){wantAll(function(){return;});}});
tables.push({
id:box.id,
write:function(link,name){
Object.keys(state).forEach(function(key){if(state[key])link.set(name + key,state[key]);});
},
read:function(link,name){
var order=link.get(name + 's')||'';
state.s=roles.names.indexOf(order.replace(/^-/,''))<0?'':order;
state.q=tools&&link.get(name + 'q')||'';
state.f=tools&&roles.finding>=0&&link.get(name + 'f')==='1'?'1':'';
var category=tools&&link.get(name + 'c')||'';
function settle(){
state.c=category&&(more?all:here).some(function(entry){return entry.category&&entry.category.id===category;})?category:'';
if(tools)tools.show(state);
apply();
}
if(category)wantAll(settle);
else settle();
return isSet()||category!=='';
},
box:box
});
}
function filterTools(box,here,roles,on){
var tools=make('div','tools'),field=searchField('Filter rows',tools);
var choice=null,tick=null;
if(roles.finding>=0){
tick=make('input');
tick.type='checkbox';
label('With a finding',tick);
}
if(roles.category>=0){
choice=make('select');
label('Category',choice);
}
function label(name,control){
var holder=make('label','',control===tick?'':name + ' ');
holder.appendChild(control);
if(control===tick)holder.appendChild(document.createTextNode(' ' + name));
tools.appendChild(holder);
}
var clear=button('Clear',function(){on.clear();field.focus();});
tools.appendChild(clear);
var said=status(tools);
var none=make('p','empty tools','No row matches. ');
none.appendChild(button('Clear the filter',function(){on.clear();field.focus();}));
none.hidden=true;
box.insertBefore(tools,box.firstChild);
box.insertBefore(none,tools.nextSibling);
function isSet(){return Boolean(field.value.trim()||(choice&&choice.value)||(tick&&tick.checked));}
function offer(entries){
if(!choice)return;
var known={},chosen=choice.value;
entries.forEach(function(entry){if(entry.category)known[entry.category.id]=entry.category.label;});
var ids=Object.keys(known).sort();
choice.textContent='';
[''].concat(ids).forEach(function(id){
var one=make('option','',id?known[id]:'all');
one.value=id;
choice.appendChild(one);
});
choice.value=chosen&&known[chosen]?chosen:'';
choice.parentNode.hidden=ids.length<2;
}
function onlyIf(entries){
if(tick)tick.parentNode.hidden=!entries.some(function(entry){return entry.finding;})||box.id==='t-findings';
}
offer(here);
onlyIf(here);
clear.hidden=true;
tools.addEventListener('focusin',on.first);
field.addEventListener('input',function(){on.change('q',field.value.trim());});
field.addEventListener('keydown',function(event){if(event.key==='Escape')on.clear();});
if(choice)choice.addEventListener('change',function(){on.change('c',choice.value);});
if(tick)tick.addEventListener('change',function(){on.change('f',tick.checked?'1':'');});
return{
offer:function(entries){offer(entries);onlyIf(entries);},
show:function(state){
field.value=state.q;
if(choice)choice.value=state.c;
if(tick)tick.checked=state.f==='1';
},
tell:function(hits,pool,whole){
var sum=hits.reduce(function(all,entry){return all + Math.max(0,roles.time<0?0:entry.key(roles.time));},0);
clear.hidden=!isSet();
none.hidden=hits.length>0;
said.textContent=(hits.length===pool.length?'':hits.length + ' of ') + pool.length + (pool.length===1?' row':' rows') +
(roles.time<0?'':', ' + timeText(sum) + roles.unit) +
(!whole&&hits.length>SHOWN_ROWS?'; the first ' + SHOWN_ROWS + ' are shown':'');
}
};
}
function nameInLink(table,i){return i?table.id + '.':'';}
function keepState(){
var link=new URLSearchParams();
tables.forEach(function(table,i){table.write(link,nameInLink(table,i));});
var text=link.toString();
if(!text&&location.hash.slice(0,2)!=='#?')return;
try{
history.replaceState(null,'',text?'#?' + text:location.pathname + location.search);
}catch(ignored){return;}
}
function readState(){
var text=location.hash;
if(/^#[a-z]+=/.test(text))return;
if(text.slice(0,2)==='#?'){
var link=new URLSearchParams(text.slice(2)),first=null;
tables.forEach(function(table,i){if(table.read(link,nameInLink(table,i))&&!first)first=table;});
if(first)first.box.scrollIntoView();
}else if(text.length>1&&!document.getElementById(text.slice(1))){
tables.forEach(function(table){table.read(new URLSearchParams(),'');});
var target=document.getElementById(text.slice(1));
if(target)target.scrollIntoView();
}
}
var CHOICE_FROM=8;
function columns(box){
var table=box.querySelector('table');
var heads=Array.prototype.slice.call(table.tHead.rows[0].cells);
if(heads.length<CHOICE_FROM)return;
var wide=box.querySelector('.more-columns');
var shownFirst=box.classList.contains('nine')?9:8,hidden=(remembered().columns||{})[box.id]||heads.slice(wide?shownFirst:heads.length).map(function(head){return head.textContent;});
var fold=make('details','tools columns-choice');
fold.appendChild(make('summary','','Columns'));
var list=make('fieldset');
list.appendChild(make('legend','vh','Columns to show'));
function show(i,shown){
heads[i].hidden=!shown;
Array.prototype.forEach.call(table.tBodies[0].rows,function(row){
if(row.cells[i])row.cells[i].hidden=!shown;
});
}
heads.forEach(function(head,i){
if(i===0)return;
var title=head.textContent,label=make('label'),tick=make('input');
tick.type='checkbox';
tick.checked=hidden.indexOf(title)<0;
if(!tick.checked&&!(wide&&i>=shownFirst))show(i,false);
tick.addEventListener('change',function(){
widen();
show(i,tick.checked);
hidden=hidden.filter(function(other){return other!==title;});
if(!tick.checked)hidden.push(title);
var all=remembered().columns||{};
all[box.id]=hidden;
remember('columns',all);
});
label.appendChild(tick);
label.appendChild(document.createTextNode(' ' + title));
list.appendChild(label);
});
function widen(){
if(!wide||wide.firstChild.checked)return;
wide.firstChild.checked=true;
heads.forEach(function(head,i){if(hidden.indexOf(head.textContent)>=0)show(i,false);});
}
fold.appendChild(list);
box.insertBefore(fold,box.firstChild);
if(wide)wide.hidden=true;
if(wide&&heads.some(function(head,i){return i>=shownFirst&&hidden.indexOf(head.textContent)<0;}))widen();
}
function ready(work){
if(document.body.classList.contains('single'))setTimeout(work,0);
else work();
}
document.querySelectorAll('.table[data-sort], .table[data-more]').forEach(function(box){ready(function(){tableTools(box);});});
document.querySelectorAll('.table').forEach(function(box){ready(function(){columns(box);});});
ready(readState);
window.addEventListener('hashchange',readState);
})(window.tracefolio);
(function(base){
'use strict';
var make=base.make,remembered=base.remembered,remember=base.remember,button=base.button,searchField=base.searchField,status=base.status,wordsOf=base.wordsOf,hasAll=base.hasAll,loadScript=base.loadScript;
function themes(){
var choice=remembered().theme;
document.querySelectorAll('input[name="theme"]').forEach(function(radio){
if(radio.id===choice)radio.checked=true;
radio.addEventListener('change',function(){remember('theme',radio.id);});
});
}
var OPEN_MAX=1000;
function focusOf(line){
return line.tagName==='SUMMARY'?line:line.querySelector('a');
}
function isShown(line,tree){
var fold=line.tagName==='SUMMARY'?line.parentNode.parentNode:line.parentNode;
for(;fold&&fold!==tree;fold=fold.parentNode){
if(fold.tagName==='DETAILS'&&!fold.open)return false;
}
return true;
}
function openTo(line){
for(var node=line.parentNode;node;node=node.parentNode){
if(node.tagName==='DETAILS'&&line.parentNode!==node)node.open=true;
else if(node.tagName==='DETAILS'&&line.tagName!=='SUMMARY')node.open=true;
}
}
function lineOf(node){
return node.closest?node.closest('.line'):null;
}
function moveTo(line){
var target=line&&focusOf(line);
if(target)target.focus();
}
function treeKey(tree,event){
var line=lineOf(event.target);
if(!line||event.altKey||event.ctrlKey||event.metaKey)return;
var fold=line.tagName==='SUMMARY'?line.parentNode:null;
var lines=Array.prototype.filter.call(tree.querySelectorAll('.line'),function(other){
return isShown(other,tree)&&focusOf(other);
});
var at=lines.indexOf(line);
var parent=(fold||line).parentNode.closest('details');
var steps={
ArrowDown:function(){moveTo(lines[at + 1]);},
ArrowUp:function(){moveTo(lines[at - 1]);},
Home:function(){moveTo(lines[0]);},
End:function(){moveTo(lines[lines.length - 1]);},
ArrowRight:function(){
if(fold&&!fold.open)fold.open=true;
else if(fold)moveTo(lines[at + 1]);
},
ArrowLeft:function(){
if(fold&&fold.open)fold.open=false;
else if(parent&&tree.contains(parent))moveTo(parent.querySelector('summary.line'));
}
};
if(!steps[event.key])return;
steps[event.key]();
event.preventDefault();
}
function openBelow(top){
var row=[top],opened=0;
while(row.length){
var below=[];
for(var i=0;i<row.length;i++){
var folds=Array.prototype.filter.call(row[i].children,function(node){
return node.tagName==='DETAILS'&&node.querySelector(':scope > summary.line');
});
if(opened + folds.length>OPEN_MAX)return{opened:opened,all:false};
folds.forEach(function(node){node.open=true;});
opened +=folds.length;
below=below.concat(folds);
}
row=below;
}
return{opened:opened,all:true};
}
function findIn(tree,tools,said){
var field=searchField('Find in tree',tools);
var hits=[],at= -1;
function go(step){
if(!hits.length)return;
if(at>=0)hits[at].classList.remove('hit');
at=(at + step + hits.length)%hits.length;
hits[at].classList.add('hit');
openTo(hits[at]);
hits[at].scrollIntoView({block:'center'});
said.textContent=(at + 1) + ' of ' + hits.length;
}
field.addEventListener('input',function(){
var words=wordsOf(field.value);
if(at>=0)hits[at].classList.remove('hit');
at= -1;
hits=words.length===0?[]:Array.prototype.filter.call(tree.querySelectorAll('.line'),function(line){
return hasAll(line.textContent.toLowerCase(),words);
});
said.textContent=words.length===0?'':hits.length + (hits.length===1?' line':' lines') +
(hits.length?': Enter goes to the next':'');
});
if(base.told('find')){
field.value=base.told('find');
field.dispatchEvent(new Event('input'));
base.settled(function(){go(1);});
}
field.addEventListener('change',function(){if(field.value!==base.told('find'))base.goesTo(field.value&&'find=' + encodeURIComponent(field.value));});
field.addEventListener('keydown',function(event){
if(event.key==='Enter'){event.preventDefault();go(event.shiftKey? -1:1);}
if(event.key==='Escape'){field.value='';field.dispatchEvent(new Event('input'));}
});
}
function treeTools(tree){
if(!tree.querySelector('summary.line'))return;
var tools=make('div','tools'),chosen=null;
var said=make('span','context');
said.setAttribute('role','status');
function top(){return chosen&&tree.contains(chosen)?chosen:tree;}
function named(){return chosen?' below the chosen line':'';}
findIn(tree,tools,said);
tools.appendChild(button('Expand',function(){
if(chosen)chosen.open=true;
var done=openBelow(top());
said.textContent=done.opened + (done.opened===1?' line':' lines') + ' opened' + named() +
(done.all?'':'; at most ' + OPEN_MAX + ' at once, so the rest stays closed');
}));
tools.appendChild(button('Collapse',function(){
top().querySelectorAll('details').forEach(function(node){node.open=false;});
said.textContent='Closed' + named();
}));
tools.appendChild(said);
tree.addEventListener('focusin',function(event){
var line=lineOf(event.target);
if(chosen)chosen.classList.remove('chosen');
chosen=line&&line.tagName==='SUMMARY'?line.parentNode:null;
if(chosen)chosen.classList.add('chosen');
});
tree.addEventListener('keydown',function(event){treeKey(tree,event);});
tree.parentNode.insertBefore(tools,tree);
}
var note=null,noteTimer=0;
function say(text,shown){
if(!note){
note=make('div','tools said');
note.setAttribute('role','status');
(document.querySelector('footer')||document.body).appendChild(note);
}
note.textContent=text;
if(shown)note.appendChild(shown);
clearTimeout(noteTimer);
noteTimer=setTimeout(function(){note.textContent='';},shown?20000:4000);
}
function offer(text){
var code=make('code','',text);
say('Copy this: ',code);
var range=document.createRange();
range.selectNodeContents(code);
var selection=window.getSelection();
selection.removeAllRanges();
selection.addRange(range);
}
function copy(text,about){
if(!navigator.clipboard||!navigator.clipboard.writeText){offer(text);return;}
navigator.clipboard.writeText(text).then(function(){say('Copied' + about + ': ' + text);},
function(){offer(text);});
}
function copyLink(link){
var address=new URL(link.getAttribute('href'),document.location.href);
var base=document.body.getAttribute('data-base');
if(base){copy(base.replace(/\/*$/,'/') + address.pathname.split('/').pop() + address.hash,'');return;}
if(address.protocol!=='file:'){copy(address.href,'');return;}
var label=document.querySelector('.top .label, .top h1');
copy(label.textContent.trim() + ' · ' + address.pathname.split('/').pop() + address.hash,
' without the local path');
}
document.querySelectorAll('.hero .fix').forEach(function(link){
var tool=button('Copy link',function(){copyLink(link);});
tool.className='copy-name tools';
link.parentNode.appendChild(tool);
});
document.querySelectorAll('td.file > a, .downloads a, .files a:not([href*=".html"], [href^="#"])').forEach(function(link){
var tool=button('Copy name',function(){copy(link.textContent,'');});
tool.className='copy-name tools';
tool.setAttribute('aria-label','Copy name ' + link.textContent);
link.parentNode.insertBefore(tool,link.closest('.downloads')?null:link.nextSibling);
});
function savePicture(figure,name){
var svg=figure.querySelector('svg'),box=svg.viewBox.baseVal,image=new Image(),lines=[''];
var canvas=make('canvas'),pen=canvas.getContext('2d'),font='600 15px sans-serif';
var worn=document.querySelector('[name="theme"]:checked');
document.getElementById('theme-light').checked=true;
var style=getComputedStyle(document.body),ground=style.backgroundColor,text=style.color;
worn.checked=true;
pen.font=font;
figure.querySelector('figcaption').textContent.split(' ').forEach(function(word){
var longer=(lines[0] + ' ' + word).trim();
if(pen.measureText(longer).width>box.width)lines.unshift(word);
else lines[0]=longer;
});
image.addEventListener('load',function(){
var top=32 + 20*lines.length;
canvas.width=2*(box.width + 40);
canvas.height=2*(top + box.height + 20);
pen.scale(2,2);
pen.fillStyle=ground;
pen.fillRect(0,0,canvas.width,canvas.height);
pen.fillStyle=text;
pen.font=font;
lines.forEach(function(line,i){pen.fillText(line,20,top - 17 - 20*i);});
pen.drawImage(image,20,top,box.width,box.height);
var link=make('a');
link.href=canvas.toDataURL();
link.download=name;
link.click();
});
image.addEventListener('error',function(){say(name + ' cannot be drawn here');});
var drawn=new XMLSerializer().serializeToString(svg);
if(/roofline/.test(name))drawn=drawn.replace(/<text /g,'<text paint-order="stroke" stroke-width="3" stroke="' + ground + '" ');
image.src='data:image/svg+xml,' + encodeURIComponent(drawn);
}
document.querySelectorAll('figure.chart > .long').forEach(function(fold){
var files=fold.querySelector('.files')||fold.appendChild(make('p','files'));
if(files.querySelector('[href$=".png"]'))return;
var name=fold.parentNode.id.replace(/.*chart-/,'') + '.png';
var tool=button('Save PNG',function(){savePicture(fold.parentNode,name);});
tool.className='copy-name tools';
tool.setAttribute('aria-label','Save PNG: ' + name);
files.appendChild(tool);
});
document.addEventListener('click',function(event){
var link=event.target.closest&&event.target.closest('a.anchor');
if(link&&event.button===0&&!event.ctrlKey&&!event.metaKey&&!event.shiftKey)copyLink(link);
});
var SHOWN_MAX=20;
function nameIn(head){
var copied=head.cloneNode(true);
copied.querySelectorAll('.vh, .anchor, details').forEach(function(node){node.remove();});
return copied.textContent.replace(/\s+/g,' ').trim();
}
function entriesHere(){
var found=[];
document.querySelectorAll('tr[id], .line[id], details[id] > summary.line, .glossary > div[id], .finding[id]').forEach(function(node){
var id=node.id||node.parentNode.id;
var head=node.querySelector('th, .what, dt, summary')||node;
var sheet=node.closest('.sheet');
var kind=sheet?sheet.querySelector('h2').firstChild.textContent.trim():'';
found.push([nameIn(head),kind,'#' + id]);
});
return found;
}
var entries=null,waiting=null;
function loadEntries(then){
var script=document.querySelector('script[data-search]');
if(!script&&!entries)entries=entriesHere();
if(entries){then(entries);return;}
if(waiting){waiting.push(then);return;}
waiting=[then];
loadScript(script.getAttribute('data-search'),'tracefolioSearch',function(file){
entries=(file?file.entries:[]).map(function(entry){
return[entry[0],entry[1],file.pages[entry[2]] + (entry[3]?'#' + entry[3]:'')];
});
waiting.forEach(function(one){one(entries);});
});
}
var site=null;
function siteSearch(){
var top=document.querySelector('.top-in');
if(!top||!(document.querySelector('script[data-search]')||document.body.classList.contains('single')))return;
var tools=make('div','tools site-search');
tools.setAttribute('role','search');
site=searchField('Search the report',tools);
var said=status(tools);
var list=make('ul','found');
list.hidden=true;
tools.appendChild(list);
top.appendChild(tools);
function apply(entries){
var words=wordsOf(site.value),count=0;
list.textContent='';
entries.forEach(function(entry){
if(!words.length||!hasAll((entry[0] + ' ' + entry[1]).toLowerCase(),words))return;
if(++count>SHOWN_MAX)return;
var item=make('li'),link=make('a','',entry[0]);
link.href=entry[2];
item.appendChild(link);
item.appendChild(make('span','context',' ' + entry[1]));
list.appendChild(item);
});
list.hidden=count===0;
said.textContent=!words.length?'':count===0?'nothing found':
count>SHOWN_MAX?'the first ' + SHOWN_MAX + ' of ' + count:count + ' found';
}
site.addEventListener('input',function(){loadEntries(apply);});
site.addEventListener('focus',function(){loadEntries(function(){return;});});
tools.addEventListener('keydown',function(event){
var links=Array.prototype.slice.call(list.querySelectorAll('a')),at=links.indexOf(document.activeElement);
if(event.key==='Escape'){site.value='';apply([]);site.focus();}
else if(event.key==='Enter'&&at<0&&links.length)links[0].click();
else if(event.key==='ArrowDown'&&links.length)(links[at + 1]||links[0]).focus();
else if(event.key==='ArrowUp'&&at>=0)(links[at - 1]||site).focus();
else return;
if(event.key!=='Escape')event.preventDefault();
});
list.addEventListener('click',function(){list.hidden=true;});
}
var KEYS=[['/','search the report'],['?','this list'],['↑ ↓ Enter','in what was found: move, go there'],['↑ ↓ ← →','in a tree: move, close, open'],
['Enter','in "Find in tree": the next line; with Shift the one before'],['Esc','in a field: clear it']];
function shortcuts(){
var foot=document.querySelector('.foot-in');
if(!foot)return;
var fold=make('details','tools keys');
var title=make('summary','','Keys');
fold.appendChild(title);
var list=make('ul');
KEYS.forEach(function(key){
var item=make('li');
item.appendChild(make('kbd','',key[0]));
item.appendChild(document.createTextNode(' ' + key[1]));
list.appendChild(item);
});
fold.appendChild(list);
var label=make('label'),on=make('input');
on.type='checkbox';
on.checked=remembered().keys!==false;
on.addEventListener('change',function(){remember('keys',on.checked);});
label.appendChild(on);
label.appendChild(document.createTextNode(' / and ? work'));
fold.appendChild(label);
foot.appendChild(fold);
var before=null;
function here(shown){
if(shown)before=document.activeElement;
fold.open=shown;
fold.classList.toggle('here',shown);
if(shown)title.focus({preventScroll:true});
else if(before)before.focus({preventScroll:true});
}
fold.addEventListener('toggle',function(){if(!fold.open)fold.classList.remove('here');});
document.addEventListener('keydown',function(event){
var inField=/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName||'');
if(!on.checked||inField||event.ctrlKey||event.metaKey||event.altKey)return;
if(event.key==='/'&&site){site.focus();event.preventDefault();}
if(event.key==='?'){here(true);event.preventDefault();}
if(event.key==='Escape'&&fold.classList.contains('here'))here(false);
});
}
function stripReadout(strip){
var pictures=base.listOf(strip.querySelectorAll('.chart-svg')).map(function(svg){return base.listOf(svg.querySelectorAll('.hint'));});
var parts=pictures.length?pictures[0].length:0;
if(!parts)return;
var tools=make('div','tools'),slider=make('input'),said=make('p','context');
slider.type='range';
slider.max=parts - 1;
slider.value=0;
slider.setAttribute('aria-label','Part of the run');
tools.appendChild(slider);
tools.appendChild(said);
strip.appendChild(tools);
function show(at){
var told=pictures[0][at].textContent;
pictures.forEach(function(hints){hints.forEach(function(hint,i){hint.classList.toggle('on',i===at);});});
slider.value=at;
slider.setAttribute('aria-valuetext',told);
said.textContent=told;
lead(told);
}
var link=strip.querySelector('a[href="timeline.html"]');
function lead(told){
var part=/^[^,]*, (\w+): ([\d.]+) to ([\d.]+)/.exec(told),ms=part&&{s:1000,ms:1,'µs':0.001}[part[1]];
if(link&&ms)link.href='timeline.html#t=' + Number((part[2]*ms).toFixed(6)) + '-' + Number((part[3]*ms).toFixed(6));
}
slider.setAttribute('aria-valuetext',pictures[0][0].textContent);
said.textContent='Point at the strip, or move the slider, to read what runs and what is waited for.';
slider.addEventListener('input',function(){show(Number(slider.value));});
slider.addEventListener('focus',function(){show(Number(slider.value));});
pictures.forEach(function(hints){
hints.forEach(function(hint,i){
hint.addEventListener('pointerenter',function(){show(i);});
hint.addEventListener('click',function(){show(i);if(link&&link.hash)link.click();});
});
});
}
function lights(action){
var parts=256,dims=[];
function off(){dims.forEach(function(node){node.remove();});dims=[];}
function on(){
off();
document.querySelectorAll('.strip .chart-svg').forEach(function(svg){
var hints=svg.querySelectorAll('.hint'),last=hints[hints.length - 1],dim=document.createElementNS(svg.namespaceURI,'path'),at=0,d='';
if(!last)return;
function number(node,key){return Number(node.getAttribute(key));}
var x=number(hints[0],'x'),wide=(number(last,'x') + number(last,'width') - x)/parts,high=number(last,'height');
action.getAttribute('data-lit').split(' ').concat(parts + '-' + parts).forEach(function(run){
var ends=run.split('-').map(Number);
if(ends[0]>at)d +='M' + (x + at*wide) + ' ' + number(last,'y') + 'h' + (ends[0] - at)*wide + 'v' + high + 'h' + (at - ends[0])*wide + 'z';
at=ends[1] + 1;
});
dim.setAttribute('class','dim');
dim.setAttribute('d',d);
svg.appendChild(dim);
dims.push(dim);
});
}
[['pointerenter',on],['pointerleave',off],['focusin',on],['focusout',off]].forEach(function(one){action.addEventListener(one[0],one[1]);});
}
function stageSwitches(box){
var sets=box.getAttribute('data-sets').split(';').map(function(one){return[parseInt(one,10),one.replace(/^\d+ /,'')];});
var lines=base.listOf(box.querySelectorAll('li')),said=box.querySelector('.context'),first=said.textContent,switches=[];
function paint(keep){
var of=0,ranks=[];
lines.forEach(function(line,k){
var on=!k||switches[k - 1].checked;
if(k&&on){of|=1<<(k - 1);ranks.push(switches[k - 1].value);}
line.classList.toggle('off',!on);
line.querySelector('rect').setAttribute('width',sets[of][0]);
line.querySelector('.n').textContent=on?sets[of][1]:'off';
});
var all=ranks.length===switches.length;
said.textContent=all?first:(ranks.length?ranks.join(', ') + ': ':'None: ') + sets[0][1] + ' → ' + sets[of][1];
if(keep)base.goesTo(all?'':'with=' + ranks.join('+'),true);
}
lines.slice(1).forEach(function(line){
var at=line.querySelector('.rank'),one=make('input');
one.type='checkbox';
one.value=at.textContent.trim();
one.setAttribute('aria-label','With ' + one.value);
one.addEventListener('change',function(){paint(true);});
at.insertBefore(one,at.firstChild);
switches.push(one);
});
function fromAddress(){
var asked=/^#with=/.test(location.hash)&&base.told('with').split('+');
switches.forEach(function(one){one.checked=!asked||asked.indexOf(one.value)>=0;});
paint(false);
}
window.addEventListener('hashchange',fromAddress);
fromAddress();
}
themes();
document.querySelectorAll('.stages[data-sets]').forEach(stageSwitches);
document.querySelectorAll('.strip').forEach(stripReadout);
document.querySelectorAll('[data-lit]').forEach(lights);
document.querySelectorAll('.tree').forEach(treeTools);
siteSearch();
shortcuts();
})(window.tracefolio);
(function(base){
'use strict';
var LETTER_PX=6.7,WORDS_FROM=34,MOVE_MS=160;
var still=window.matchMedia('(prefers-reduced-motion: reduce)');
function cellsOf(svg){
return base.listOf(svg.querySelectorAll('a')).map(function(link){
var rect=link.querySelector('rect'),words=link.querySelectorAll('text');
var title=link.querySelector('title').textContent,at=title.lastIndexOf(' - ');
function attr(name){return parseFloat(rect.getAttribute(name));}
return{link:link,rect:rect,words:words,name:title.slice(0,at),told:title,y:attr('y'),high:attr('height'),
from:attr('x') - 0.5,to:attr('x') + attr('width') + 0.5};
});
}
function icicle(box){
var pictures=base.listOf(box.querySelectorAll('.chart-wide, .chart-mid, .chart-narrow')).map(function(svg){
var cells=cellsOf(svg),first=cells[0];
var axis=base.listOf(svg.children).filter(function(node){return/^(path|text)$/.test(node.tagName);});
return{svg:svg,cells:cells,axis:axis,from:first&&first.from,to:first&&first.to,wide:first&&first.to - first.from};
}).filter(function(one){return one.cells.length>1;});
if(!pictures.length)return;
var tools=base.make('div','tools'),reset=base.button('Show all',function(){all();base.goesTo('');});
var said=base.status(tools),moving=0,chosen=null;
var link=base.make('a','','Its line'),words=document.createTextNode('');
tools.insertBefore(reset,said);
said.appendChild(link);
said.appendChild(words);
link.hidden=true;
reset.disabled=true;
box.insertBefore(tools,box.firstChild);
function label(cell,x,w){
base.listOf(cell.words).forEach(function(node){node.setAttribute('display','none');});
if(!cell.text){
cell.text=document.createElementNS(cell.rect.namespaceURI,'text');
cell.text.setAttribute('class','t-label');
cell.text.setAttribute('font-size','12');
cell.link.appendChild(cell.text);
}
var most=Math.floor((w - 8)/LETTER_PX);
cell.text.setAttribute('x',x + 5);
cell.text.setAttribute('y',cell.y + 14.5);
cell.text.textContent=w<WORDS_FROM?'':cell.name.length>most?cell.name.slice(0,most - 1) + '…':cell.name;
}
function paint(one,from,to){
var k=one.wide/(to - from),whole=from<=one.from&&to>=one.to;
one.at=[from,to];
one.axis.forEach(function(node){node.setAttribute('display',whole?'inline':'none');});
one.cells.forEach(function(cell){
var a=Math.max(one.from,one.from + (cell.from - from)*k),b=Math.min(one.to,one.from + (cell.to - from)*k);
cell.link.setAttribute('display',b - a<1?'none':'inline');
cell.rect.setAttribute('x',a + 0.5);
cell.rect.setAttribute('width',Math.max(0.5,b - a - 1));
if(!whole){label(cell,a,b - a);return;}
if(cell.text){cell.text.remove();cell.text=null;}
base.listOf(cell.words).forEach(function(node){node.removeAttribute('display');});
});
one.svg.setAttribute('data-from',((from - one.from)/one.wide).toFixed(4));
one.svg.setAttribute('data-to',((to - one.from)/one.wide).toFixed(4));
}
function go(one,from,to){
var began=performance.now(),a=(one.at||[one.from,one.to])[0],b=(one.at||[one.from,one.to])[1];
cancelAnimationFrame(moving);
pictures.forEach(function(other){
if(other!==one)paint(other,other.from + (from - one.from)/one.wide*other.wide,other.from + (to - one.from)/one.wide*other.wide);
});
if(still.matches){paint(one,from,to);return;}
(function next(){
var share=Math.min(1,(performance.now() - began)/MOVE_MS);
paint(one,a + (from - a)*share,b + (to - b)*share);
if(share<1)moving=requestAnimationFrame(next);
})();
}
function shown(){
return pictures.filter(function(one){return one.svg.getClientRects().length;})[0]||pictures[0];
}
function tell(cell){
link.hidden=!cell;
words.data=cell?' ' + cell.told:'';
if(cell)link.setAttribute('href',cell.link.getAttribute('href').replace('#z-','#'));
}
function all(){
var one=shown();
chosen=null;
reset.disabled=true;
tell(null);
go(one,one.from,one.to);
}
function idOf(cell){return cell.link.getAttribute('href').replace(/.*#(z-)?/,'');}
function fromAddress(){
var id=base.told('zoom'),one=shown(),cell=id&&one.cells.filter(function(cell){return idOf(cell)===id;})[0];
if(cell&&cell!==chosen)zoom(one,cell);
else if(!cell&&chosen)all();
}
function zoom(one,cell){
if(cell===chosen||cell===one.cells[0]){all();base.goesTo('');return;}
base.goesTo('zoom=' + idOf(cell));
chosen=cell;
reset.disabled=false;
tell(cell);
go(one,cell.from,cell.to);
}
function neighbour(one,cell,key){
var rects=one.cells.filter(function(other){return other.link.getAttribute('display')!=='none';});
var up=key==='ArrowUp',down=key==='ArrowDown';
var row=rects.filter(function(other){return up?other.y<cell.y:down?other.y>cell.y:other.y===cell.y;});
if(up)row=row.filter(function(other){return other.from<=cell.from + 0.01&&other.to>=cell.to - 0.01;}).sort(function(a,b){return b.y - a.y;});
else if(down)row=row.filter(function(other){return other.from>=cell.from - 0.01&&other.to<=cell.to + 0.01;}).sort(function(a,b){return a.y - b.y||a.from - b.from;});
else if(key==='ArrowRight')row=row.filter(function(other){return other.from>cell.from;}).sort(function(a,b){return a.from - b.from;});
else row=row.filter(function(other){return other.from<cell.from;}).sort(function(a,b){return b.from - a.from;});
return row[0];
}
pictures.forEach(function(one){
function cellAt(event){
var link=event.target.closest('a');
return one.cells.filter(function(cell){return cell.link===link;})[0];
}
one.svg.addEventListener('click',function(event){
var cell=cellAt(event);
if(!cell||event.button!==0||event.ctrlKey||event.metaKey||event.shiftKey)return;
event.preventDefault();
zoom(one,cell);
});
one.svg.addEventListener('keydown',function(event){
var cell=cellAt(event);
if(!cell||event.ctrlKey||event.metaKey||event.altKey)return;
if(event.key==='Escape'||event.key==='Home'){all();base.goesTo('');event.preventDefault();}
if(!/^Arrow/.test(event.key))return;
var next=neighbour(one,cell,event.key);
if(next)next.link.focus();
event.preventDefault();
});
['mouseover','focusin'].forEach(function(name){
one.svg.addEventListener(name,function(event){
var cell=cellAt(event);
if(cell)tell(cell);
});
});
});
if(base.told('zoom'))fromAddress();
window.addEventListener('hashchange',fromAddress);
}
base.listOf(document.querySelectorAll('.icicle')).forEach(icicle);
base.listOf(document.querySelectorAll('[id*="roofline"] .chart-svg')).forEach(function(svg){
svg.addEventListener('keydown',function(event){
var points=base.listOf(svg.querySelectorAll('a')),at=points.indexOf(event.target);
var step=/^Arrow(Right|Down)$/.test(event.key)?1:/^Arrow(Left|Up)$/.test(event.key)? -1:0;
if(at<0||!step||event.ctrlKey||event.metaKey||event.altKey)return;
if(points[at + step])points[at + step].focus();
event.preventDefault();
});
});
})(window.tracefolio);
